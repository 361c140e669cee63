import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'

export type Proxy = {
  port: number
  /** How many requests were answered with each status. */
  statuses: Map<number, number>
  /** Requests answered with a status of 500 or more: the request line and the answer. */
  failures: string[]
  close(): void
}

/**
 * Stands before the application: gives every request another address, so that the limit on sign-ins per address
 * doesn't hide what is behind it, cuts live streams short, and counts the answers. `/canary?id=1` goes to no
 * application: it puts the value into SQL as it is, to see that sqlmap would find what it looks for.
 */
export async function startProxy(target: number, pool: pg.Pool): Promise<Proxy> {
  const statuses = new Map<number, number>()
  const failures: string[] = []
  let count = 0
  const server = createServer((incoming, outgoing) => {
    const url = incoming.url ?? '/'
    if (url.startsWith('/canary')) {
      const id = new URL(url, 'http://localhost').searchParams.get('id') ?? ''
      pool.query(`select username from users where id = ${id}`).then(
        ({ rows }) => outgoing.end(JSON.stringify(rows)),
        (error: Error) => outgoing.writeHead(500).end(error.message),
      )
      return
    }
    count += 1
    const address = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`
    const headers = { ...incoming.headers, 'x-forwarded-for': address }
    const passed = ask({ port: target, host: '127.0.0.1', path: url, method: incoming.method, headers })
    passed.on('response', (answer) => {
      const status = answer.statusCode ?? 0
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500) failures.push(`${incoming.method} ${url}: ${status}`)
      outgoing.writeHead(status, answer.headers)
      if (answer.headers['content-type']?.startsWith('text/event-stream')) {
        outgoing.end()
        passed.destroy()
      } else answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { port, statuses, failures, close }
}
