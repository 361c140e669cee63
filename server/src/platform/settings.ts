import { type MarketplaceFacts, marketplaceByDomain, marketplaces } from '@dealdeck/marketplace/marketplaces'
import { z } from 'zod'
import { readTrustedProxies } from './http/trusted-proxies.ts'
import { readKey } from './key-file.ts'
import { type MailSender, readMailSender, readSmtpServer, type SmtpServer } from './mail-settings.ts'
import { readNetworks } from './outgoing/public-addresses.ts'

const domainList = marketplaces.map((marketplace) => marketplace.domain).join(', ')

const marketplaceSetting = z
  .string()
  .default('amazon.com')
  .transform((domain, context): MarketplaceFacts => {
    const marketplace = marketplaceByDomain(domain)
    if (marketplace) return marketplace
    context.addIssue({ code: 'custom', message: `must be one of ${domainList}` })
    return z.NEVER
  })

const trustedProxies = z
  .string()
  .default('loopback')
  .transform((text, context): string[] => {
    const proxies = readTrustedProxies(text)
    if (proxies) return proxies
    context.addIssue({
      code: 'custom',
      message: 'must be addresses or ranges, such as 10.1.2.3,172.16.0.0/12',
    })
    return z.NEVER
  })

const fetchAllow = z
  .string()
  .default('')
  .transform((text, context): string[] => {
    const networks = readNetworks(text)
    if (networks) return networks
    context.addIssue({
      code: 'custom',
      message: 'must be addresses or networks, such as 192.168.1.0/24,127.0.0.1/32,::1/128',
    })
    return z.NEVER
  })

/** Null where it isn't given. What it says is never repeated: it may hold a password. */
const smtpUrl = z
  .string()
  .default('')
  .transform((text, context): SmtpServer | null => {
    const server = text === '' ? null : readSmtpServer(text)
    if (server !== undefined) return server
    context.addIssue({
      code: 'custom',
      message: 'must be an address such as smtps://user:password@smtp.example.org',
    })
    return z.NEVER
  })

const mailFrom = z
  .string()
  .default('')
  .transform((text, context): MailSender | null => {
    const sender = text === '' ? null : readMailSender(text)
    if (sender !== undefined) return sender
    context.addIssue({
      code: 'custom',
      message: 'must be an e-mail address, such as Dealdeck <deals@example.org>',
    })
    return z.NEVER
  })

const secretKeys = (most: number, error: string) =>
  z
    .string()
    .default('')
    .refine((text) => {
      const keys = text === '' ? [] : text.split(',')
      return keys.length <= most && keys.every((key) => readKey(key.trim()) !== undefined)
    }, error)

const optionalUrl = z
  .union([z.literal(''), z.url({ protocol: /^https?$/, error: 'must be an http(s) address' })])
  .default('')

/** Connections of a process to its database, unless the setting says otherwise. */
export const defaultConnections = 36
const connectionsError = 'must be connections from 16 to 500'

const settingsSchema = z
  .object({
    PORT: z.coerce.number({ error: 'must be a port from 0 to 65535' }).int().min(0).max(65535).default(3000),
    HOST: z.string().min(1).default('127.0.0.1'),
    DATA_DIR: z.string().min(1).default('./data'),
    DATABASE_URL: z
      .union([z.literal(''), z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres://')])
      .default(''),
    DATABASE_CONNECTIONS: z.coerce
      .number({ error: connectionsError })
      .int(connectionsError)
      .min(16, connectionsError)
      .max(500, connectionsError)
      .default(defaultConnections),
    MARKETPLACE: marketplaceSetting,
    AFFILIATE_TAG: z
      .string()
      .regex(/^[A-Za-z0-9-]*$/, 'may hold letters, digits and dashes only')
      .default(''),
    SIGNUP_MODE: z
      .enum(['open', 'approval', 'closed'], { error: 'must be open, approval or closed' })
      .default('open'),
    ADMIN_USERNAME: z.string().trim().toLowerCase().default(''),
    ADMIN_PASSWORD: z.string().trim().default(''),
    BUILT_IN_ACCOUNTS: z.string().default(''),
    WORKERS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
    SEARCH_INDEX: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
    SAMPLE_DEALS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
        error: 'must be trace, debug, info, warn, error, fatal or silent',
      })
      .default('info'),
    SLOW_STATEMENT_MS: z.coerce
      .number({ error: 'must be milliseconds from 0 to 60000' })
      .int('must be milliseconds from 0 to 60000')
      .min(0, 'must be milliseconds from 0 to 60000')
      .max(60_000, 'must be milliseconds from 0 to 60000')
      .default(1_000),
    CHANGES_KEPT_DAYS: z.coerce
      .number({ error: 'must be days from 1 to 365' })
      .int('must be days from 1 to 365')
      .min(1, 'must be days from 1 to 365')
      .max(365, 'must be days from 1 to 365')
      .default(7),
    METRICS_TOKEN: z
      .string()
      .regex(/^[\w.~+/=-]{16,200}$/, 'must be 16 to 200 letters, digits or . ~ + / = _ -')
      .or(z.literal(''))
      .default(''),
    TELEGRAM_TOKEN: z
      .string()
      .regex(/^\d{5,20}:[\w-]{30,100}$/, 'must be the token of a bot, as @BotFather shows it')
      .or(z.literal(''))
      .default(''),
    TRUSTED_PROXIES: trustedProxies,
    SECRET_KEY: secretKeys(1, 'must be 32 bytes as base64 or hex, such as openssl rand -base64 32 prints'),
    SECRET_KEY_OLD: secretKeys(20, 'must be former values of SECRET_KEY, separated by commas'),
    FETCH_ALLOW: fetchAllow,
    SMTP_URL: smtpUrl,
    MAIL_FROM: mailFrom,
    DRAIN_SECONDS: z.coerce
      .number({ error: 'must be seconds from 0 to 300' })
      .int('must be seconds from 0 to 300')
      .min(0, 'must be seconds from 0 to 300')
      .max(300, 'must be seconds from 0 to 300')
      .default(0),
    PUBLIC_URL: optionalUrl,
    COMMUNITY_URL: optionalUrl,
  })
  .refine((settings) => (settings.ADMIN_USERNAME === '') === (settings.ADMIN_PASSWORD === ''), {
    path: ['ADMIN_USERNAME'],
    error: 'and ADMIN_PASSWORD must be given together',
  })
  .refine((settings) => settings.ADMIN_PASSWORD === '' || settings.ADMIN_PASSWORD.length >= 6, {
    path: ['ADMIN_PASSWORD'],
    error: 'must be at least 6 characters long',
  })

export type Settings = z.infer<typeof settingsSchema>

/**
 * Reads and checks every setting, once, at start.
 * Throws an Error whose message is one clear line naming the setting and what it must be.
 */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  // An empty variable (`PORT= npm start`) means 'not set', as container files commonly leave it.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = settingsSchema.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(`Setting ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`)
}
