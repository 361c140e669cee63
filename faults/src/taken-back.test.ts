import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DebianPostgres, hasDebianPostgres, urlOf } from '../../server/testing/debian-postgres.ts'
import { either } from './extent.ts'
import { change, fill, Member, waitForReaders } from './group.ts'
import { judge, Observations } from './witness.ts'

/** What becomes of a process while one database takes the place of the other. */
type Fate = 'lives on' | 'is frozen' | 'is started again'
/** Whether what the primary wrote last is gone with it. */
type Log = 'kept' | 'lost'

/** How the primary goes: as one that loses its power, or its network. */
type End = 'crash' | 'freeze'

const each: Fate[] = ['lives on', 'is frozen', 'is started again']
const all = (fate: Fate): Fate[] => each.map(() => fate)
const failovers: [End, Log, Fate[]][] = either(
  [['freeze', 'lost', each]],
  (['lost', 'kept'] as const).flatMap((log) => [
    ...[each, ...each.map(all)].map((fates): [End, Log, Fate[]] => ['crash', log, fates]),
    ['freeze', log, each] as const,
  ]),
)

async function isReplicated(primary: DebianPostgres): Promise<void> {
  const standbys = () => primary.query("select from pg_stat_replication where state = 'streaming'")
  await expect.poll(async () => (await standbys()).length, { timeout: 10_000 }).toBe(1)
}

async function failOver(
  [primary, standby]: [DebianPostgres, DebianPostgres],
  members: readonly Member[],
  fates: readonly Fate[],
  end: End,
  log: Log,
  observations: Observations,
): Promise<void> {
  const having = (fate: Fate) => members.filter((_, n) => fates[n] === fate)
  const [first] = members
  if (!first) throw new Error('Nobody is there')
  await isReplicated(primary)
  // Nobody is waited for when its last changes are to be lost.
  await primary.confirmBy(log === 'kept' ? ['one', 'two'] : [])
  await change(first, 'kept', 2)
  await waitForReaders(members, primary)
  if (log === 'lost') await primary.freezeSenders()
  await change(first, log, 3)
  await waitForReaders(members, primary)

  for (const member of having('is frozen')) member.kill('SIGSTOP')
  if (end === 'crash') await primary.crash()
  else primary.freeze()
  for (const member of having('is started again')) member.kill('SIGKILL')
  await standby.confirmBy([])
  await standby.promote()
  await Promise.all(having('is started again').map((member) => member.start(observations)))
  const awake = members.filter((_, n) => fates[n] !== 'is frozen')
  for (const member of awake) await member.isReady()
  // The numbers of what was lost are given out again, and more, before those who slept hear of anything.
  if (awake[0]) await change(awake[0], 'other', 2)
  if (awake[0]) await change(awake[0], 'more', 2)
  // Asked while it sleeps, it answers before it knows what happened meanwhile.
  const asked = having('is frozen').flatMap(({ witness }) => witness.askAgain())
  await sleep(100)
  for (const member of having('is frozen')) member.kill('SIGCONT')
  await Promise.all(asked)
  for (const member of members) await member.isReady()
  await change(first, 'new', 5)
  await waitForReaders(members, standby)
}

test.runIf(hasDebianPostgres)(
  'failovers with and without what the primary wrote last, processes alive, frozen and started again: whoever comes back gets the truth',
  async () => {
    let primary = await (await DebianPostgres.make()).start().isUp()
    let standby = await primary.standby('two')
    const address = `${urlOf(primary.host, standby.host)}&target_session_attrs=read-write`
    const observations = new Observations()
    const members = each.map(() => new Member(address))
    const [first, ...others] = members
    await first?.start(observations)
    await Promise.all(others.map((member) => member.start(observations)))
    if (first) await fill(first)
    for (const [n, [end, log, fates]] of failovers.entries()) {
      const ended = new AbortController()
      const running = members.map(({ witness }) => witness.run(ended.signal))
      await failOver([primary, standby], members, fates, end, log, observations)
      ended.abort()
      await Promise.all(running)
      const ask = (sql: string) => standby.query(sql)
      const judged = await Promise.all(members.map(({ client }) => judge(client, observations, ask)))
      const filters = await standby.query(`select from amazon_filters where name like 'lost %'`)
      expect(filters, 'what was to be lost is').toEqual([])
      expect([...observations.problems, ...judged.flat()], `${end}, ${log}, the processes: ${fates}`).toEqual(
        [],
      )
      await primary.crash()
      if (n + 1 === failovers.length) break
      await primary.copyFrom(standby)
      await primary.start().isUp()
      ;[primary, standby] = [standby, primary]
    }
    console.log(
      `${failovers.length} failovers: ${observations.events.size} events, ${observations.bodies.length} pages and ${observations.cursors.size} cursors were told`,
    )
  },
)
