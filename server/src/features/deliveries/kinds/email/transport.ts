import { PassThrough, pipeline } from 'node:stream'
import { createTransport } from 'nodemailer'
import type { Settings } from '../../../../platform/settings.ts'

/** A message as it is handed to the server. Nothing that anybody typed may stand in a header's name. */
export type Mail = {
  to: string
  subject: string
  text: string
  html: string
  messageId: string
  /** What it belongs to, so that programs show it together. */
  thread: string | null
  headers: Record<string, string>
}

type SmtpSettings = Pick<Settings, 'SMTP_URL' | 'MAIL_FROM'>
type Pool = ReturnType<typeof makePool>

/** One for each application, which has one server. */
const pools = new WeakMap<SmtpSettings, Pool>()

/** By the signal of a message: whether it was begun to be sent. */
const beginnings = new WeakMap<AbortSignal, () => boolean>()
/**
 * However slowly a server answers, and however many wait for their turn there, in milliseconds: less than the minute after which who sends
 * gives a message up without knowing whether anything of it was sent.
 */
const patienceMs = 50_000

/** What became of handing it over: the server took it, or why not. */
export type HandedOver =
  | { isTaken: true; response: string }
  | {
      isTaken: false
      error: Error & { code?: string; command?: string; response?: string; responseCode?: number }
      /** Whether parts of the message were sent, so that the server may have taken it. */
      isBegun: boolean
    }

/** Hands a message to the server of SMTP_URL. Throws why `signal` was aborted, and nothing else. */
export async function handOver(
  settings: SmtpSettings,
  { to, thread, headers, ...mail }: Mail,
  signal: AbortSignal,
): Promise<HandedOver> {
  const pool = pools.get(settings) ?? makePool(settings)
  pools.set(settings, pool)
  const from = settings.MAIL_FROM ?? { name: '', address: '' }
  const ended = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  try {
    const { response } = await pool.sendMail({
      ...{ ...mail, from, to: { name: '', address: to }, signal: ended },
      ...(thread !== null && { inReplyTo: thread, references: thread }),
      headers: { ...headers, 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    return { isTaken: true, response: String(response) }
  } catch (error) {
    signal.throwIfAborted()
    const isBegun = beginnings.get(ended)?.() ?? false
    return { isTaken: false, error: error instanceof Error ? error : new Error(String(error)), isBegun }
  }
}

function makePool({ SMTP_URL }: SmtpSettings) {
  const { host = '', port = 0, secure = false, auth = null } = SMTP_URL ?? {}
  const isHere = /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
  const pool = createTransport({
    ...{ pool: true, host, port, secure, maxConnections: 3, maxMessages: 100, idleTimeout: 20_000 },
    ...(auth !== null && { auth }),
    // A password goes nowhere in plain text; a server of this machine commonly has a certificate that nobody signed.
    ...{ requireTLS: auth !== null && !isHere && !secure, ignoreTLS: isHere },
    ...{ connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  // What was read of a message tells later whether the server may have it.
  pool.use('stream', (mail, done) => {
    mail.message.processFunc((input) => {
      const output = new PassThrough()
      pipeline(input, output, () => {})
      const { signal } = mail.data
      if (signal) beginnings.set(signal, () => output.readableDidRead)
      return output
    })
    done()
  })
  return pool
}
