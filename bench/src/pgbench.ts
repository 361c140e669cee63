import { existsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { pageStatement } from '../../server/src/features/deals/queries.ts'
import { pageSettings } from '../../server/src/platform/database/database.ts'
import { someShop } from './feed-cases.ts'
import { runToEnd } from './peer-packages.ts'
import { makeFolder } from './scratch.ts'

const seconds = 10

/**
 * Times a second that PostgreSQL alone answers the feed's statement for a first page below a price that differs from
 * one to the next. Undefined where there is no pgbench.
 */
export async function rateOfStatement(databaseUrl: string, clients: number): Promise<number | undefined> {
  const pgbench = await findPgbench()
  if (pgbench === undefined) return undefined
  const limit = 50
  const options = Object.entries(pageSettings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
  const { text, values } = pageStatement(
    { kind: 'sort-scan', isGeneric: true },
    { sort: 'newest', min_price: undefined, max_price: 30, prime_only: false, search: '', limit },
    someShop,
    true,
  )
  if (values.length !== 3) throw new Error(`The statement of a first page takes other values: ${values}`)
  const [, before, after] = values
  const statement = text
    .replace('$1', ':cents::numeric / 100')
    .replace('$2', `'${before}'`)
    .replace('$3', `'${after}'`)
  const folder = await makeFolder()
  try {
    const file = join(folder, 'page.sql')
    await writeFile(file, `\\set cents random(3000, 14200)\n${statement.replace(/\s*\n\s*/g, ' ')};\n`)
    const { host, port, user, password, database } = new pg.Client({ connectionString: databaseUrl })
    const said = await runToEnd(
      pgbench,
      ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '2', '-T', `${seconds}`, '-f', file],
      {
        env: {
          ...{ PGHOST: host, PGPORT: String(port), PGUSER: user ?? '', PGDATABASE: database ?? '' },
          ...{ PGPASSWORD: password ?? '', PGOPTIONS: options, PATH: process.env.PATH },
        },
      },
    )
    const rate = Number(/tps = ([\d.]+)/.exec(said)?.[1])
    if (!(rate > 0)) throw new Error(`pgbench said no rate: ${said}`)
    return rate
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function findPgbench(): Promise<string | undefined> {
  const debian = '/usr/lib/postgresql'
  const versions = await readdir(debian).catch(() => [])
  const folders = (process.env.PATH ?? '').split(delimiter)
  return [...folders, ...versions.map((version) => join(debian, version, 'bin'))]
    .map((folder) => join(folder, 'pgbench'))
    .find((path) => existsSync(path))
}
