import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type WeakLink = {
  /** The given address, of any protocol, through this link. */
  url: string
  /** Breaks every open connection and refuses new ones, until `mend`. */
  cut(): void
  /** Breaks every open connection and answers new ones as a PostgreSQL does that takes none yet, until `mend`. */
  refuse(): void
  /** Lets nothing through any more, yet closes nothing and still accepts connections, until `mend`. */
  freeze(): void
  mend(): void
  close(): Promise<void>
}

const refusal = Buffer.from('E\0\0\0\0SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0')
// The length counts itself and what follows, but not the letter before it.
refusal.writeInt32BE(refusal.length - 1, 1)

/** A network connection to a server on this machine that can be cut, refused or frozen, as a real one is in an outage. */
export async function openWeakLink(url: string): Promise<WeakLink> {
  const target = new URL(url)
  /** Every socket and the one its bytes go on to. */
  const ways = new Map<Socket, Socket>()
  let state: 'whole' | 'frozen' | 'refused' | 'cut' = 'whole'
  const server = createServer((near) => {
    if (state === 'cut') return near.destroy()
    // Whoever leaves before it is refused is gone, and that is all.
    if (state === 'refused') return near.on('error', () => {}).once('data', () => near.end(refusal))
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
    refuse() {
      state = 'refused'
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
