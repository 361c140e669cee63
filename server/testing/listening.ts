import { once } from 'node:events'
import type { Server } from 'node:http'

/** The address of a server on a free port of this machine, once it listens. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It listens on no port')
  return `http://127.0.0.1:${address.port}`
}
