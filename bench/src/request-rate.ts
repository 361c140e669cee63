import { connect } from 'node:net'
import { percentile } from './report.ts'

/** Requests a second, and how long one takes in milliseconds. */
export type Rate = { perSecond: number; p50: number; p95: number; p99: number; slowest: number }

type Options = {
  connections: number
  amount: number
  status: 200 | 304
  /** Of different members, who ask in turn: one alone may have so much at once, and so many requests a second. */
  cookies?: string[]
}

/** Requests a second for one address, asked again and again; see `rateOfPages`. */
export async function rateOfOnePage(
  address: string,
  headers: Record<string, string>,
  options: Options,
): Promise<number> {
  const { origin, pathname, search } = new URL(address)
  return (await rateOfPages(origin, [pathname + search], headers, options)).perSecond
}

/**
 * Asks for these paths in turn, `amount` in all, on `connections` persistent connections, one request at a time on each. Plain
 * sockets: a client library takes as much time to ask for a page as the server to answer it, and both share the machine.
 * Throws at the first answer that isn't `status`, and where the server hangs up.
 */
export async function rateOfPages(
  origin: string,
  paths: string[],
  headers: Record<string, string>,
  { connections, amount, status, cookies = [] }: Options,
): Promise<Rate> {
  const { hostname, port, host } = new URL(origin)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const tail = ` HTTP/1.1\r\n${lines.join('')}`
  const who = cookies.map((cookie) => `cookie: ${cookie}\r\n`)
  let left = amount
  const times: number[] = []
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let missing = -1
      let asked = 0
      const next = () => {
        missing = -1
        asked = performance.now()
        if (left-- > 0)
          socket.write(`GET ${paths[left % paths.length]}${tail}${who[left % who.length] ?? ''}\r\n`)
        else socket.end(resolve)
      }
      socket.on('connect', next)
      socket.on('error', reject)
      // Once all is asked for, this comes after the end that has been told.
      socket.on('close', () => reject(new Error('The server hung up')))
      // The head of so small an answer comes in one piece; what follows it is only counted.
      socket.on('data', (piece) => {
        if (missing < 0) {
          const end = piece.indexOf('\r\n\r\n')
          const head = piece.toString('latin1', 0, end)
          if (!head.startsWith(`HTTP/1.1 ${status} `)) return reject(new Error(`Unexpected answer: ${head}`))
          missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) + end + 4
        }
        missing -= piece.length
        if (missing > 0) return
        times.push(performance.now() - asked)
        next()
      })
    })
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, one))
  const perSecond = amount / ((performance.now() - start) / 1000)
  const at = (share: number) => percentile(share, times)
  return { perSecond, p50: at(0.5), p95: at(0.95), p99: at(0.99), slowest: at(1) }
}
