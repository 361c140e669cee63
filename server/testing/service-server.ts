import { createServer, type IncomingMessage } from 'node:http'
import { whenDone } from './cleanup.ts'
import { listening } from './listening.ts'

export type JsonObject = Record<string, unknown>
/** What a service answers: an object as JSON, a text as a page; `breaks` ends the connection instead. */
export type Answered =
  | { status: number; body?: string | object; headers?: Record<string, string> }
  | { breaks: true }
export type AskedOf = { method: string; url: URL; headers: IncomingMessage['headers']; body: JsonObject }

export type ServiceServer = {
  base: string
  /** What it was asked, in order. */
  asked: AskedOf[]
  /** Answers instead of the usual ones, one for each request. */
  answers: Answered[]
}

/** A service that takes and answers JSON, imitated on this machine until the test or its file is done. */
export async function serviceServer(
  answer: (asked: AskedOf, request: IncomingMessage) => Answered | Promise<Answered>,
): Promise<ServiceServer> {
  const state: Pick<ServiceServer, 'asked' | 'answers'> = { asked: [], answers: [] }
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(Buffer.from(piece))
    const text = Buffer.concat(pieces).toString()
    const asked = {
      ...{ method: request.method ?? '', headers: request.headers },
      url: new URL(request.url ?? '/', 'http://service.example'),
      body: text.startsWith('{') ? JSON.parse(text) : {},
    }
    state.asked.push(asked)
    const answered = state.answers.shift() ?? (await answer(asked, request))
    if ('breaks' in answered) {
      request.socket.destroy()
      return
    }
    const { status, body = '', headers = {} } = answered
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body))
  })
  whenDone(async () => {
    server.close()
    server.closeAllConnections()
  })
  return Object.assign(state, { base: await listening(server) })
}
