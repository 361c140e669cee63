import { expect, test } from 'vitest'
import { whenDone } from '../../../../testing/cleanup.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { openDatabases } from '../../../platform/database/database.ts'
import { HostTurns } from '../../../platform/outgoing/host-turns.ts'
import { serviceTokens, type TokenSeal } from './service-token.ts'

const databases = await testDatabases()

/** Turns a text around, which is as good as a seal for seeing where one is used. */
function turning(name: string): TokenSeal {
  const turned = (text: string) => [...text].reverse().join('')
  return {
    seal: (text, purpose) => `${name}/${purpose}/${turned(text)}`,
    open: (sealed, purpose) => {
      if (!sealed.startsWith(`${name}/${purpose}/`)) throw new Error('sealed with another key')
      return turned(sealed.slice(name.length + purpose.length + 2))
    },
  }
}

const processes = [0, 1, 2, 3].map(() => {
  const own = openDatabases(databases.url, () => {})
  whenDone(() => own.close())
  return serviceTokens(own.durableDb, turning('ours'), new HostTurns(own.reservedPool))
})
const [token] = processes
if (!token) throw new Error('There are four')

/** A service that lends tokens with numbers. */
function lender(seconds = 3_600) {
  let lent = 0
  const renew = async () => {
    lent += 1
    const text = `token ${lent}`
    await new Promise((done) => setTimeout(done, 20))
    return { token: text, seconds }
  }
  return { renew, count: () => lent }
}

test('four processes ask for one token', async () => {
  const { renew, count } = lender()
  const got = await Promise.all(Array.from({ length: 12 }, (_, at) => processes[at % 4]?.('shared', renew)))
  expect(new Set(got)).toEqual(new Set(['token 1']))
  expect(count()).toBe(1)
  const { rows } = await databases.customPlanPool.query<{ text: string }>(
    'select row_to_json(t)::text as text from service_tokens t',
  )
  expect(JSON.stringify(rows)).not.toContain('token 1')
  expect(JSON.stringify(rows)).not.toContain('shared')
})

test('a token that the service refuses is renewed once, whoever finds out', async () => {
  const { renew, count } = lender()
  expect(await token('refused', renew)).toBe('token 1')
  const got = await Promise.all(processes.map((own) => own('refused', renew, 'token 1')))
  expect(got).toEqual(['token 2', 'token 2', 'token 2', 'token 2'])
  expect(count()).toBe(2)
})

test('slow sign-ins hold up no other credential, and no other work of their process', async () => {
  const own = openDatabases(databases.url, () => {})
  whenDone(() => own.close())
  const tokens = serviceTokens(own.durableDb, turning('ours'), new HostTurns(own.reservedPool))
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const slow = Array.from({ length: own.durablePool.options.max + 1 }, (_, at) =>
    tokens(`slow ${at}`, async () => {
      await answered
      return { token: `late ${at}`, seconds: 3_600 }
    }),
  )
  const { renew } = lender()
  expect(await tokens('quick', renew)).toBe('token 1')
  await own.durablePool.query('select')
  answer()
  expect(await Promise.all(slow)).toHaveLength(slow.length)
})

test('one that ends within half a minute is renewed', async () => {
  const { renew } = lender(29)
  expect(await token('short', renew)).toBe('token 1')
  expect(await token('short', renew)).toBe('token 2')
})

test('where none is lent, the next who asks tries again', async () => {
  const { renew } = lender()
  const failing = token('failing', async () => {
    throw new Error('no token today')
  })
  await expect(failing).rejects.toThrow('no token today')
  expect(await token('failing', renew)).toBe('token 1')
})

test('one sealed with a key that is gone is renewed', async () => {
  const { renew } = lender()
  const others = serviceTokens(databases.durableDb, turning('theirs'), new HostTurns(databases.reservedPool))
  expect(await others('sealed', renew)).toBe('token 1')
  expect(await token('sealed', renew)).toBe('token 2')
})
