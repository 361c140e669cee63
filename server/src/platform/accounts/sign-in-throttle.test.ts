import { setImmediate as tick } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { AppError } from '../errors.ts'
import { LiveBus } from '../live/live-bus.ts'
import { SignInThrottle } from './sign-in-throttle.ts'

const databases = await testDatabases()

function newThrottle() {
  const bus = new LiveBus(databases, pino({ level: 'silent' }))
  return { bus, throttle: new SignInThrottle(databases, bus) }
}

const from = (network: string, name = 'somebody', device?: string) => ({
  ...{ name, network, site: network, device, isKnownHere: () => Promise.resolve(false) },
})
const wrong = async () => {
  throw new AppError('INVALID_CREDENTIALS', 'wrong')
}

test('who sends hundreds at once keeps no other network, and no known device, from its turn', async () => {
  const { throttle } = newThrottle()
  const begun: string[] = []
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const work = (who: string) => () => {
    begun.push(who)
    return end
  }
  const all = Array.from({ length: 200 }, (_, at) => throttle.signIn(from('a', `name ${at}`), work('a')))
  all.push(throttle.signIn(from('b'), work('b')))
  all.push(throttle.signIn(from('a', 'owner', 'device'), work('device')))
  await tick()
  expect(begun).toEqual(['a', 'a', 'b', 'device'])
  resolve()
  await Promise.all(all)
  expect(begun).toHaveLength(202)
})

test('whoever leaves while they wait has no turn any more', async () => {
  const { throttle } = newThrottle()
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const gone = new AbortController()
  let looked = 0
  const waiting = Array.from({ length: 50 }, (_, at) =>
    throttle.signIn({ ...from('a', `name ${at}`), gone: gone.signal }, () => {
      looked += 1
      return end
    }),
  )
  await tick()
  gone.abort(new Error('gone'))
  resolve()
  const ends = await Promise.allSettled(waiting)
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(48)
  expect(looked).toBe(2)
})

test('only wrong passwords count: no right one, no failure of ours and no refusal does', async () => {
  const { throttle } = newThrottle()
  const failing = () => Promise.reject(new Error('the database is away'))
  const waiting = () => Promise.reject(new AppError('ACCOUNT_PENDING', 'waiting'))
  for (let at = 0; at < 200; at++) {
    await expect(throttle.signIn(from('a'), failing)).rejects.toThrow('away')
    await expect(throttle.signIn(from('a'), waiting)).rejects.toThrow('waiting')
    expect(await throttle.signIn(from('a'), () => Promise.resolve('in'))).toBe('in')
  }
  for (let at = 0; at < 10; at++) await expect(throttle.signIn(from('a'), wrong)).rejects.toThrow('wrong')
  await expect(throttle.signIn(from('a'), wrong)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  // A name that is used up uses up nothing of its network.
  for (let at = 0; at < 200; at++)
    await expect(throttle.signIn(from('a'), wrong)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  await expect(throttle.signIn(from('a', 'another'), wrong)).rejects.toThrow('wrong')
})

test('wrong passwords at one process count at all', async () => {
  const [one, other] = [newThrottle(), newThrottle()]
  await Promise.all([one.bus.start(), other.bus.start()])
  try {
    // A name of its own: what the tests before told may still be on its way.
    const attempt = (network: string) => from(network, 'known to both')
    for (let at = 0; at < 10; at++)
      await expect(one.throttle.signIn(attempt('c'), wrong)).rejects.toThrow('wrong')
    // A right password would forget those already told of, a wrong one would count.
    const away = () => Promise.reject(new AppError('BUSY', 'the database is busy'))
    const answer = () => other.throttle.signIn(attempt('d'), away).catch(({ code }: AppError) => code)
    await expect.poll(answer).toBe('TOO_MANY_REQUESTS')
    // Nonsense on the channel is nobody's word.
    await databases.reservedPool.query("select pg_notify('dealdeck_attempts', 'nonsense')")
  } finally {
    await Promise.all([one.bus.close(), other.bus.close()])
  }
})

// The last one: what it tells other processes would keep them busy for a while.
test('a site of many networks has a thousand wrong passwords in all, which other sites don’t share', async () => {
  const { throttle } = newThrottle()
  const attempt = (network: number, name: string, site = 'site') => {
    const place = { network: `${site} ${network}`, site }
    return throttle.signIn({ ...from('', name), ...place }, wrong).catch(({ code }: AppError) => code)
  }
  for (let at = 0; at < 1_000; at++)
    expect(await attempt(at >> 6, `sprayed ${at}`)).toBe('INVALID_CREDENTIALS')
  expect(await attempt(99, 'one more')).toBe('TOO_MANY_REQUESTS')
  expect(await attempt(99, 'one more', 'another site')).toBe('INVALID_CREDENTIALS')
})
