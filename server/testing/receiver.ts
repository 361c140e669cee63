import { startWebServer } from './web-server.ts'

/** A message as a receiver got it: where, and what it said. */
export type Received = { path: string; body: { uid: string; kind: string } & Record<string, unknown> }
export type Answer = { status: number; body?: object } | 'cut' | 'silent'

/** A server that messages are posted to, answering as the test says; it keeps all that came. */
export async function startReceiver(
  answer: (received: Received, count: number) => Answer | Promise<Answer> = (_, count) => ({
    ...{ status: 200, body: { id: `m${count}` } },
  }),
) {
  const received: Received[] = []
  const { origin } = await startWebServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const message = { path: request.url ?? '', body: JSON.parse(text) }
    received.push(message)
    const said = await answer(message, received.length)
    if (said === 'cut') request.socket.destroy()
    else if (said !== 'silent') response.writeHead(said.status).end(JSON.stringify(said.body ?? {}))
  })
  return { origin, received, paths: () => received.map(({ path }) => path) }
}
