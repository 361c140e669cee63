import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser } from '../../../testing/factories.ts'
import { networkAndSiteOf } from '../http/caller-address.ts'
import type { Turn } from '../limits/member-gate.ts'
import { SignInTurns } from './sign-in-turns.ts'

const databases = await testDatabases()
/** Turns are given in rounds of the event loop. */
const tick = () => sleep(10)
const stranger = (at: number) => networkAndSiteOf(`203.0.${at >> 8}.${at & 255}`)

/** Asks for turns and notes who was given one, and who was refused. */
function asker(turns: SignInTurns) {
  const given: Turn[] = []
  const admitted: string[] = []
  const refused: string[] = []
  const ask = async (who: string, address: string, owner?: string) => {
    try {
      given.push(await turns.enter(networkAndSiteOf(address), owner))
      admitted.push(who)
    } catch (error) {
      expect(error).toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfter: 5 })
      refused.push(who)
    }
  }
  const endAll = async () => {
    while (given.length > 0) {
      for (const turn of given.splice(0)) turn.end()
      await tick()
    }
  }
  return { admitted, refused, ask, endAll }
}

async function openSession(address: string): Promise<void> {
  const { id } = await makeUser(databases)
  const row = { token_hash: Buffer.from(address), user_id: id, expires_at: new Date('2099-01-01') }
  await databases.db
    .insertInto('sessions')
    .values({ ...row, signed_in_address: address })
    .execute()
}

test('a thousand networks of strangers keep no known device and no known network from its turn', async () => {
  await openSession('198.51.100.7')
  const turns = new SignInTurns(databases)
  const { ask, admitted, refused, endAll } = asker(turns)
  const strangers = Array.from({ length: 1_000 }, (_, at) => ask('stranger', stranger(at).network))
  await expect.poll(() => refused.length).toBe(797)
  expect(admitted).toEqual(['stranger', 'stranger', 'stranger'])
  expect(turns.strangers.figures).toEqual({ running: 3, waiting: 200 })
  await Promise.all([ask('device', stranger(0).network, 'ann'), ask('network', '198.51.100.7')])
  expect(admitted.slice(3)).toEqual(['device', 'network'])
  await endAll()
  await Promise.all(strangers)
  expect(admitted).toHaveLength(205)
})

test('of a full queue the network with most in it gives way, so that one attempt is never kept out by many', async () => {
  const { ask, admitted, refused, endAll } = asker(
    new SignInTurns(databases, { waiting: 10, waitMs: 60_000 }),
  )
  const many = Array.from({ length: 30 }, () => ask('many', '192.0.2.1'))
  await expect.poll(() => refused).toHaveLength(18)
  const few = ['192.0.2.2', '192.0.2.3', '192.0.2.4'].map((address) => ask('few', address))
  await expect.poll(() => refused).toHaveLength(20)
  await endAll()
  await Promise.all([...many, ...few])
  expect(admitted.filter((who) => who === 'few')).toHaveLength(3)
  expect(new Set(refused)).toEqual(new Set(['many']))
})

test('the networks of one site take turns as one', async () => {
  const { ask, admitted, endAll } = asker(new SignInTurns(databases))
  const site = Array.from({ length: 50 }, (_, at) => ask('site', `2001:db8:7:${at.toString(16)}::1`))
  await tick()
  await ask('other', '2001:db8:8::1')
  expect(admitted).toEqual(['site', 'site', 'other'])
  await endAll()
  await Promise.all(site)
})

test('a stranger waits so long and no longer, and not at all in vain where somebody has signed in meanwhile', async () => {
  const turns = new SignInTurns(databases, { waiting: 10, waitMs: 300 })
  const { ask, admitted, refused, endAll } = asker(turns)
  for (const network of ['192.0.2.10', '192.0.2.11', '192.0.2.12']) await ask('at work', network)
  await ask('late', '192.0.2.13')
  expect(refused).toEqual(['late'])
  const waiting = ask('no stranger any more', '192.0.2.14')
  await expect.poll(() => turns.strangers.figures.waiting).toBe(1)
  turns.learn(networkAndSiteOf('192.0.2.14'))
  await waiting
  expect(admitted.at(-1)).toBe('no stranger any more')
  await endAll()
})
