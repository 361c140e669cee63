import { createHmac, randomBytes } from 'node:crypto'

type Secrets = Readonly<Record<string, string>>

const prefix = 'whsec_'
const secretBytes = 32
/** How long the former secret still signs as well, in milliseconds: receivers learn the new one meanwhile. */
const overlapMs = 24 * 3_600_000

/** A new secret, as receivers enter it. */
export function makeSigning(): { secrets: Record<string, string>; shown: string } {
  const shown = prefix + randomBytes(secretBytes).toString('base64')
  return { secrets: { signing: shown }, shown }
}

/** A new secret beside the former one, which goes on signing for a day. The one before that ends at once. */
export function rotateSigning(secrets: Secrets, now: Date): ReturnType<typeof makeSigning> {
  const made = makeSigning()
  const end = new Date(now.getTime() + overlapMs).toISOString()
  const before: Record<string, string> =
    secrets.signing === undefined ? {} : { signing_before: `${end} ${secrets.signing}` }
  return { shown: made.shown, secrets: { ...made.secrets, ...before } }
}

/** The headers of Standard Webhooks for these very bytes: one signature for each secret that holds now. */
export function signedHeaders(id: string, body: string, secrets: Secrets, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const signatures = secretsOf(secrets, now).map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

function secretsOf({ signing, signing_before }: Secrets, now: Date): string[] {
  const [end = '', before] = signing_before?.split(' ') ?? []
  const isHeld = before !== undefined && Date.parse(end) > now.getTime()
  return [...(signing === undefined ? [] : [signing]), ...(isHeld ? [before] : [])]
}
