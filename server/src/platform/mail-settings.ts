/** The server that mail is handed to. */
export type SmtpServer = {
  host: string
  port: number
  /** TLS from the first byte; otherwise the connection begins in plain text and goes over to TLS where the server offers it. */
  secure: boolean
  auth: { user: string; pass: string } | null
}

/** Who mail comes from. */
export type MailSender = { name: string; address: string }

const usualPort: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }

/** As browsers know addresses: without comments, quotes, spaces and letters beyond ASCII, so that nothing else can stand in one. */
const addressShape =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i

export const isMailAddress = (text: string): boolean => text.length <= 254 && addressShape.test(text)

/** The server of an address such as `smtps://user:password@smtp.example.org:465`; undefined where it is none. */
export function readSmtpServer(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  const usual = usualPort[protocol]
  if (usual === undefined || hostname === '' || !/^\/?$/.test(pathname) || search + hash !== '')
    return undefined
  if ((username === '') !== (password === '')) return undefined
  try {
    const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
    return {
      ...{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || usual },
      ...{ secure: protocol === 'smtps:', auth: user === '' ? null : { user, pass } },
    }
  } catch {
    return undefined
  }
}

/** The sender of `deals@example.org` or `Dealdeck <deals@example.org>`; undefined where it is none. */
export function readMailSender(text: string): MailSender | undefined {
  const [, name = '', inBrackets] = /^([^<>"\p{Cc}]{0,80})<([^<>]+)>$/u.exec(text.trim()) ?? []
  const address = (inBrackets ?? text).trim()
  return isMailAddress(address) ? { name: name.trim(), address } : undefined
}
