import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type WeakLink = {
  /** The application's address through this link. */
  origin: string
  /** Breaks every open connection and refuses new ones, until `mend`. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

/**
 * A network connection that can be cut between one browser and the application. The browser's own offline mode leaves
 * open streams alone; a real outage does not.
 */
export async function openWeakLink(origin: string): Promise<WeakLink> {
  const target = new URL(origin)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('Not listening')
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    origin: `http://127.0.0.1:${address.port}`,
    cut() {
      isCut = true
      breakAll()
    },
    mend() {
      isCut = false
    },
    async close() {
      breakAll()
      server.close()
      await once(server, 'close')
    },
  }
}
