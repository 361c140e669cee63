import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A message as a webhook got it. */
export type Received = { uid: string; path: string; type: string; dealId: number; price: number | null }

/** Any number of webhooks at one local server, one a path, that answer 204 and keep what they got. */
export class WebhookReceiver {
  readonly received: Received[] = []
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('error', () => {})
      request.on('end', () => {
        const { type, data } = Object(JSON.parse(Buffer.concat(parts).toString()))
        this.received.push({
          ...{ uid: String(request.headers['webhook-id']), path: request.url ?? '', type: String(type) },
          ...{ dealId: Number(Object(data).id), price: Object(data).price ?? null },
        })
        response.writeHead(204).end()
      })
    })
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return new WebhookReceiver(server)
  }

  /** The address of one of its webhooks. */
  address(name: string): string {
    // A server that listens on a port has such an address.
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/${name}`
  }
}
