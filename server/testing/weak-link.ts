import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type WeakLink = {
  /** The given address, of any protocol, through this link. */
  url: string
  /** Breaks every open connection and refuses new ones, until `mend`. */
  cut(): void
  /** Lets nothing through any more, yet closes nothing and still accepts connections, until `mend`. */
  freeze(): void
  mend(): void
  close(): Promise<void>
}

/** A network connection to a server on this machine that can be cut or frozen, as a real one is in an outage. */
export async function openWeakLink(url: string): Promise<WeakLink> {
  const target = new URL(url)
  /** Every socket and the one its bytes go on to. */
  const ways = new Map<Socket, Socket>()
  let state: 'whole' | 'frozen' | 'cut' = 'whole'
  const server = createServer((near) => {
    if (state === 'cut') return near.destroy()
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ways.set(socket, other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        ways.delete(socket)
        other.destroy()
      })
      if (state === 'whole') socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('Not listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${address.port}`
  const breakAll = () => {
    for (const socket of ways.keys()) socket.destroy()
  }
  return {
    url: through.href.replace(/\/$/, ''),
    cut() {
      state = 'cut'
      breakAll()
    },
    freeze() {
      state = 'frozen'
      for (const [socket, other] of ways) socket.unpipe(other)
    },
    mend() {
      const wasFrozen = state === 'frozen'
      state = 'whole'
      // Piped twice, every byte would arrive twice.
      if (!wasFrozen) return
      for (const [socket, other] of ways) socket.pipe(other)
    },
    async close() {
      breakAll()
      server.close()
      await once(server, 'close')
    },
  }
}
