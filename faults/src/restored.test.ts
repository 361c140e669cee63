import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand, temporaryFolder } from '../../server/testing/dealdeck-process.ts'
import { DebianPostgres, hasDebianPostgres, programs } from '../../server/testing/debian-postgres.ts'
import { either } from './extent.ts'
import { change, fill, Member, waitForReaders } from './group.ts'
import { judge, Observations } from './witness.ts'

type Way = { backup(url: string, file: string): unknown; restore(url: string, file: string): unknown }

const ours: Way = {
  backup: (url, file) => command(url, 'backup', file),
  restore: (url, file) => command(url, 'restore', file, '--replace'),
}
const postgres: Way = {
  backup: (url, file) => program('pg_dump', '--format=custom', `--file=${file}`, url),
  restore(url, file) {
    program(
      'psql',
      '--quiet',
      '--command=set client_min_messages = warning',
      '--command=drop schema if exists dealdeck_jobs cascade',
      url,
    )
    program('pg_restore', '--clean', '--if-exists', `--dbname=${url}`, file)
  },
}

async function command(DATABASE_URL: string, ...args: string[]): Promise<void> {
  expect(await runCommand(args, { DATABASE_URL })).toMatchObject({ code: 0, errors: '' })
}

function program(name: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(join(programs, name), args, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
}

test
  .runIf(hasDebianPostgres)
  .each([['its own command', ours], ...either([], [['PostgreSQL’s own tools', postgres] as const])] as const)(
  'yesterday’s backup is restored with %s under an open feed: whoever comes back gets the truth',
  async (_which, { backup, restore }) => {
    const database = await (await DebianPostgres.make()).start().isUp()
    const file = join(await temporaryFolder(), 'yesterday')
    const observations = new Observations()
    const member = new Member(database.url)
    await member.start(observations)
    const ended = new AbortController()
    const reading = member.witness.run(ended.signal)
    await fill(member)
    await change(member, 'kept', 2)
    await backup(database.url, file)
    await change(member, 'lost', 4)
    await waitForReaders([member], database)

    // One that only sleeps is in the way as well: it would wake up with what it knew.
    member.kill('SIGSTOP')
    const refused = await runCommand(['restore', file, '--replace'], { DATABASE_URL: database.url })
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('Dealdeck') })
    member.kill('SIGCONT')
    await member.stop()
    await restore(database.url, file)
    await member.start(observations)
    await change(member, 'other', 6)
    await waitForReaders([member], database)
    ended.abort()
    await reading
    expect(await database.query("select from amazon_filters where name like 'lost %'")).toEqual([])
    expect([
      ...observations.problems,
      ...(await judge(member.client, observations, (sql) => database.query(sql))),
    ]).toEqual([])
  },
)
