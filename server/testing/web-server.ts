import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { whenDone } from './cleanup.ts'

export type WebServer = {
  port: number
  /** `http://127.0.0.1:PORT` */
  origin: string
  /** All requests that have come, the first one first. */
  asked: IncomingMessage[]
}

/** Somebody else's server, on this machine, until the test or its file is done. */
export async function startWebServer(answer: RequestListener, host = '127.0.0.1'): Promise<WebServer> {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    // Whoever asks may leave in the middle of an answer.
    response.on('error', () => {})
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  whenDone(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  const bound = server.address()
  if (typeof bound !== 'object' || !bound) throw new Error('The server has no port')
  return {
    port: bound.port,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`,
    asked,
  }
}
