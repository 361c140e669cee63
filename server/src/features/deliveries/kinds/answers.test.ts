import { expect, test } from 'vitest'
import { startWebServer } from '../../../../testing/web-server.ts'
import { makeSafeFetch } from '../../../platform/outgoing/make-safe-fetch.ts'
import { answerFacts, askService, outcomeOfStatus, secretTexts } from './answers.ts'

const now = new Date('2026-05-04T12:00:00Z')
const deps = { fetch: makeSafeFetch({ allow: ['127.0.0.1/32'] }) }
const group = { isGroup: true }
const context = () => ({ signal: new AbortController().signal })
const post = { method: 'POST', body: '{}' } as const

test('an answer is read, and JSON in it', async () => {
  const server = await startWebServer((_, response) => response.writeHead(404).end('{"code":10015}'))
  const { answer } = await askService(deps, group, `${server.origin}/a`, post, context())
  expect(answer).toMatchObject({
    status: 404,
    text: '{"code":10015}',
    json: { code: 10015 },
    isPublic: false,
  })
})

test('redirects are answers', async () => {
  const server = await startWebServer((_, response) => response.writeHead(302, { location: '/b' }).end())
  const { answer } = await askService(deps, group, server.origin, {}, context())
  expect(answer?.status).toBe(302)
  expect(server.asked).toHaveLength(1)
})

test('an answer that ends early, or never, is told by its status', async () => {
  const early = await startWebServer((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"id":')
    response.socket?.destroySoon()
  })
  expect(await askService(deps, group, early.origin, post, context())).toMatchObject({
    answer: { status: 200, text: '', json: null },
  })
  const endless = await startWebServer((_, response) => {
    const piece = 'x'.repeat(100_000)
    const more = () => response.write(piece, (error) => error ?? more())
    more()
  })
  expect(await askService(deps, group, endless.origin, post, context())).toMatchObject({
    answer: { status: 200, text: '' },
  })
})

test('what was taken before the process ends is taken, though the rest of the answer is not awaited', async () => {
  const askAndEnd = async (status: number) => {
    const ending = new AbortController()
    const server = await startWebServer((_, response) => response.writeHead(status).write('{"id":'))
    const asked: typeof deps.fetch = async (...request) => {
      const response = await deps.fetch(...request)
      ending.abort(new Error('The process ends'))
      return response
    }
    return askService({ fetch: asked }, group, server.origin, post, ending)
  }
  expect(await askAndEnd(200)).toMatchObject({ answer: { status: 200, text: '' } })
  await expect(askAndEnd(500)).rejects.toThrow('The process ends')
})

test('who was never reached got nothing; who doesn’t answer may have got it', async () => {
  // Nothing listens there.
  expect(await askService(deps, group, 'http://127.0.0.1:1/', post, context())).toMatchObject({
    outcome: { result: 'failed', text: expect.stringContaining('ECONNREFUSED') },
  })
  const silent = await startWebServer((_, response) => response.socket?.destroy())
  expect(await askService(deps, group, silent.origin, post, context())).toMatchObject({
    outcome: { result: 'unknown', text: expect.stringMatching(/^It may have arrived/) },
  })
  const slow = await startWebServer(() => {})
  expect(await askService(deps, group, slow.origin, { ...post, totalMs: 200 }, context())).toMatchObject({
    outcome: { result: 'unknown' },
  })
})

test('a member’s destination reaches no network of FETCH_ALLOW', async () => {
  const server = await startWebServer((_, response) => response.end())
  expect(await askService(deps, { isGroup: false }, server.origin, post, context())).toMatchObject({
    outcome: { result: 'refused', text: expect.not.stringContaining('FETCH_ALLOW') },
  })
  expect(await askService(deps, group, 'http://127.0.0.2/', post, context())).toMatchObject({
    outcome: { result: 'refused', text: expect.stringContaining('FETCH_ALLOW') },
  })
  const shut = await askService(deps, { isGroup: false }, 'http://192.0.9.1:25/', post, context())
  expect(shut.outcome).toMatchObject({ result: 'refused', text: expect.not.stringContaining('FETCH_ALLOW') })
  expect(server.asked).toHaveLength(0)
})

test('only the signal throws', async () => {
  const server = await startWebServer(() => {})
  const over = new AbortController()
  const asked = askService(deps, group, server.origin, post, over)
  over.abort(new Error('the end'))
  await expect(asked).rejects.toThrow('the end')
})

test('what a service says is shown in one line, without secrets, and only where anybody could ask', () => {
  const secrets = secretTexts({ key: 'abc/def', none: '' })
  const answer = {
    ...{ status: 400, headers: new Headers(), json: null },
    text: 'No abc/def,\nno abc%2Fdef.',
  }
  expect(answerFacts({ ...answer, isPublic: true }, secrets)).toEqual({ status: 400, answer: 'No …, no …' })
  expect(answerFacts({ ...answer, isPublic: false }, secrets)).toEqual({ status: 400 })
  expect(answerFacts({ ...answer, isPublic: true }, secrets, 7)).toEqual({ status: 400 })
})

test.each([
  [429, { 'retry-after': '3' }, { result: 'later', afterMs: 3_000 }],
  [429, {}, { result: 'later', afterMs: 60_000 }],
  // Whoever names no pause to speak of is not asked again and again without end.
  [429, { 'retry-after': '0' }, { result: 'later', afterMs: 60_000 }],
  [429, { 'retry-after': '0.001' }, { result: 'later', afterMs: 1_000 }],
  [429, { 'retry-after': 'Mon, 04 May 2026 11:00:00 GMT' }, { result: 'later', afterMs: 60_000 }],
  [503, { 'retry-after': '0' }, { result: 'failed' }],
  [503, { 'retry-after': '3' }, { result: 'later', afterMs: 3_000 }],
  [503, {}, { result: 'failed' }],
  [500, {}, { result: 'failed' }],
  [408, {}, { result: 'failed' }],
  [301, {}, { result: 'failed' }],
  [200, {}, { result: 'failed', text: 'That is no answer of Discord (200).' }],
  [400, {}, { result: 'refused' }],
])('status %i with %j', (status, headers, expected) => {
  const answer = { status, headers: new Headers(headers), text: '', json: null, isPublic: true }
  expect(outcomeOfStatus(answer, now, 'Discord', { status })).toMatchObject({ ...expected, status })
})
