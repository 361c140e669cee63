import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { MemberPace } from './member-pace.ts'
import { endWhenSent, endWithRound, limitRequests, ReadGates } from './read-gates.ts'

/** A server whose answers come when told to, to one member; `atWork` counts the handlers that have not ended. */
async function server(pace?: MemberPace) {
  const app = Fastify()
  const state = { atWork: 0, most: 0, begun: 0 }
  const goOn = Promise.withResolvers<void>()
  app.decorateRequest('caller')
  app.addHook('onRequest', (request, _reply, done) => {
    request.caller = { kind: 'token', id: 1, name: 'script' }
    done()
  })
  const { gate, hook } = limitRequests({ pace })
  app.addHook('onRequest', hook)
  app.get('/', async () => {
    state.begun += 1
    state.atWork += 1
    state.most = Math.max(state.most, state.atWork)
    await goOn.promise
    state.atWork -= 1
    return 'done'
  })
  app.get('/at-once', async () => 'done')
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  whenDone(async () => {
    goOn.resolve()
    await app.close()
  })
  return { app, gate, state, goOn, origin }
}

test('sixteen requests of a member are at work at once, and all are answered in the end', async () => {
  const { gate, state, goOn, origin } = await server()
  const asked = Array.from({ length: 60 }, () => fetch(origin))
  await expect.poll(() => gate.figures).toEqual({ running: 16, waiting: 44 })
  goOn.resolve()
  for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200)
  expect(state.most).toBe(16)
  await expect.poll(() => gate.figures).toEqual({ running: 0, waiting: 0 })
})

test('whoever hangs up while waiting is worked for never, neither in the queue nor beyond the pace', async () => {
  const { gate, state, goOn, origin } = await server(new MemberPace(100, 20))
  const [first, others] = [new AbortController(), new AbortController()]
  const ask = (length: number, { signal }: AbortController) =>
    Array.from({ length }, () => fetch(origin, { signal }).catch(() => null))
  const asked = ask(16, first)
  await expect.poll(() => state.atWork).toBe(16)
  const waiting = ask(44, others)
  await expect.poll(() => gate.figures.waiting).toBeGreaterThan(0)
  // Those who wait first: a turn of those at work, given back, is for whoever has not gone yet.
  others.abort()
  await Promise.all(waiting)
  await expect.poll(() => gate.figures.waiting).toBe(0)
  first.abort()
  await Promise.all(asked)
  // By then all who had to wait for the pace would have begun.
  await sleep(600)
  expect(state.begun).toBe(16)
  goOn.resolve()
  await expect.poll(() => gate.figures).toEqual({ running: 0, waiting: 0 })
})

test('beyond those who wait for the pace nobody is refused at once', async () => {
  const pace = new MemberPace(100, 20)
  vi.spyOn(pace, 'take').mockReturnValue(1_000)
  const { app } = await server(pace)
  const answers: number[] = []
  const ask = async () => void answers.push((await app.inject('/at-once')).statusCode)
  const asked = Array.from({ length: 510 }, ask)
  await sleep(200)
  expect(answers).toEqual([])
  await Promise.all(asked)
  expect(answers.filter((status) => status === 200)).toHaveLength(500)
})

test('what is asked from within, as for a page, counts as answered and not as given up', async () => {
  const pace = new MemberPace(100, 50)
  const { app } = await server(pace)
  for (let at = 0; at < 20; at++) expect((await app.inject('/at-once')).statusCode).toBe(200)
  expect(pace.take('token 1')).toBe(0)
})

test('every limit of what a member asks for counts what other processes do for them', () => {
  const watched: string[] = []
  const peers = {
    elsewhere: () => 0,
    otherProcesses: () => 0,
    watch: (gate: string) => void watched.push(gate),
  }
  const [customPlanPool, genericPlanPool] = [new pg.Pool({ max: 12 }), new pg.Pool({ max: 5 })]
  new ReadGates(peers, { customPlanPool, genericPlanPool })
  limitRequests({ peers })
  expect(watched).toEqual(['pages', 'searches', 'others', 'views', 'requests'])
})

test('who asks for many pages of the web app rests after each', async () => {
  const peers = { elsewhere: () => 0, otherProcesses: () => 0, watch: () => undefined }
  const { views } = new ReadGates(peers, {
    ...{ customPlanPool: new pg.Pool({ max: 12 }), genericPlanPool: new pg.Pool({ max: 5 }) },
  })
  const [first] = Array.from({ length: 10 }, () => views.enter('a'))
  const turn = await first
  turn?.end()
  await nextRound()
  expect(views.figures).toEqual({ running: 3, waiting: 6 })
  await expect.poll(() => views.figures).toEqual({ running: 4, waiting: 5 })
})

test('a turn for what a body holds ends with the round of the event loop, and its member rests for longer than that', async () => {
  const rests: (number | undefined)[] = []
  endWithRound({ worked: () => undefined, end: (leastRestMs) => void rests.push(leastRestMs) })
  const began = performance.now()
  while (performance.now() - began < 10) await Promise.resolve()
  expect(rests).toEqual([])
  await nextRound()
  expect(rests).toEqual([expect.any(Number)])
  expect(rests[0]).toBeGreaterThan(25)
})

test('a turn for a large answer lasts until it has been read', async () => {
  const app = Fastify()
  const ends: string[] = []
  app.get('/', async (_request, reply) => {
    endWhenSent({ worked: () => void ends.push('worked'), end: () => void ends.push('end') }, reply)
    return reply.send('x'.repeat(20_000_000))
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  whenDone(() => app.close())
  const answer = await fetch(origin)
  await sleep(50)
  expect(ends).toEqual(['worked'])
  await answer.text()
  await expect.poll(() => ends).toEqual(['worked', 'end'])
})
