import { connect } from 'node:net'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { boundConnections } from '../limits/connections.ts'
import { answerUnread, toAppError } from './http-errors.ts'

/** An error as pg, Node or Fastify throw it. */
const thrown = (fields: object) => Object.assign(new Error('what the caller must not read'), fields)

test.each([
  ['a full disk', { code: '53100', severity: 'ERROR' }, 'DATABASE_UNAVAILABLE', /no room left on its disk/],
  ['a lost database', { code: 'ECONNRESET' }, 'DATABASE_UNAVAILABLE', /can not be reached/],
  [
    'a name server that is gone as well',
    { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
    'DATABASE_UNAVAILABLE',
    /can not be reached/,
  ],
  // Of a name with several addresses Node gives the first code alone.
  ['a network that is down', { code: 'ENETUNREACH' }, 'DATABASE_UNAVAILABLE', /can not be reached/],
  ['too many open files', { code: 'EMFILE', syscall: 'connect' }, 'INTERNAL', /^Something went wrong/],
  ['a file that is missing', { code: 'ENOENT', syscall: 'open' }, 'INTERNAL', /^Something went wrong/],
  // Fastify marks what went wrong with the body with a status: no fault of ours, and nothing for the log.
  [
    'a caller who goes away',
    { code: 'ECONNRESET', statusCode: 400 },
    'INVALID_INPUT',
    /could not be understood/,
  ],
  ['the unknown', {}, 'INTERNAL', /^Something went wrong/],
])('%s is told from everything else', (_what, fields, code, message) => {
  expect(toAppError(thrown(fields))).toMatchObject({ code, message: expect.stringMatching(message) })
})

/** Sends the first text and, when that has brought `answer`, what no request begins with; gives all that comes back. */
async function nonsenseAfter(answer: string, first: string): Promise<string> {
  const app = Fastify(answerUnread(''))
  boundConnections(app)
  app.post('/taken', async () => 'taken')
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/refused') await reply.status(401).send('refused')
  })
  app.post('/refused', async () => 'never')
  app.get('/half', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-length': 100 }).write('half')
  })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  whenDone(() => app.close())
  const socket = connect(Number(port), '127.0.0.1')
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  socket.write(first)
  await expect.poll(() => text).toContain(answer)
  socket.write('nonsense\r\n\r\n')
  await expect.poll(() => socket.closed).toBe(true)
  return text
}

const post = (path: string, head: string) => `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n\r\n`
const json = 'content-type: application/json\r\ncontent-length: 2'

test.each([
  ['in the middle of an answer', 'half', 'GET /half HTTP/1.1\r\nhost: localhost\r\n\r\n', ['200']],
  [
    'as the body of a request that came with the one before and was answered early',
    'refused',
    `${post('/taken', json)}{}${post('/refused', 'transfer-encoding: chunked')}`,
    ['200', '401'],
  ],
  ['after an answer', 'taken', `${post('/taken', json)}{}`, ['200', '400']],
])(
  'nonsense %s gets no answer that another request would take for its own',
  async (_, answer, first, all) => {
    const text = await nonsenseAfter(answer, first)
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(all)
  },
)
