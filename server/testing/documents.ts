import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { RunContext } from '../src/features/sources/kinds/source-kind.ts'
import { FetchError } from '../src/platform/outgoing/safe-fetch.ts'
import { whenDone } from './cleanup.ts'

/** What a server answers: a text or bytes, or pieces without end. */
export type Answer = {
  status?: number
  headers?: Record<string, string>
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
}

type Documents = { url: string; requests: IncomingHttpHeaders[] }

/** A real server with one document, until the test is over. `requests` are the headers that came, the newest last. */
export async function serveDocument(answer: (path: string, count: number) => Answer): Promise<Documents> {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers)
    const { status = 200, headers = {}, body = '' } = answer(request.url ?? '/', requests.length)
    response.writeHead(status, headers)
    if (typeof body === 'string' || body instanceof Uint8Array) response.end(body)
    else
      Readable.from(body)
        .on('error', () => response.destroy())
        .pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(async () => {
    server.closeAllConnections()
    server.close()
  })
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/document`, requests }
}

/** Asks as `runContext` does, but hands the body on as it comes, within the limits; `read` counts its bytes. */
export function streamedAsk(read: { bytes: number; cancelled: boolean }): RunContext['ask'] {
  return async (url, { headers = {}, secretHeaders = {}, limits }) => {
    const ending = new AbortController()
    const response = await fetch(url, { headers: { ...headers, ...secretHeaders }, signal: ending.signal })
    async function* body(): AsyncGenerator<Uint8Array> {
      for await (const piece of response.body ?? []) {
        read.bytes += piece.length
        if (read.bytes > limits.bytes) throw new FetchError('size', 'The answer is too large.')
        yield piece
      }
    }
    return {
      ...{
        status: response.status,
        headers: response.headers,
        url: response.url,
        movedTo: undefined,
        isPublic: true,
      },
      body: body(),
      cancel: () => {
        read.cancelled = true
        ending.abort()
      },
    }
  }
}
