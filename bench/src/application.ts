import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { clock } from './clock.ts'
import { ownRoot, type Program, runScript, startServer } from './processes.ts'
import { withClient } from './scratch.ts'

const username = 'bench'
const password = randomBytes(12).toString('hex')

/** The application as a process of its own, with the session of its administrator. */
export type Application = Program & { cookie: string }

/** Starts one with the web app, which it builds when it must, and signs its administrator in. */
export async function startWithWeb(databaseUrl: string): Promise<Application> {
  return signedIn(await start(databaseUrl, [], 0))
}

/** The same without the web app. */
export async function startSignedIn(databaseUrl: string): Promise<Application> {
  return signedIn(await startApplication(databaseUrl))
}

async function signedIn(program: Program): Promise<Application> {
  try {
    return { ...program, cookie: await signIn(program.url) }
  } catch (error) {
    await program.stop()
    throw error
  }
}

/**
 * Starts one process of the application on a database, without the web app; on any free port when none is given, and of
 * the checkout in the folder `root`.
 */
export function startApplication(databaseUrl: string, port = 0, root = ownRoot): Promise<Program> {
  return start(databaseUrl, ['--no-web'], port, root)
}

/** The same as one of four on the embedded database, which has 60 connections: it takes as few as a process can do with. */
export function startOneOfFour(databaseUrl: string, port = 0): Promise<Program> {
  return start(databaseUrl, ['--no-web'], port, ownRoot, { DATABASE_CONNECTIONS: '16' })
}

/** The same on any free port, with more settings. */
export function startWith(databaseUrl: string, settings: Record<string, string>): Promise<Program> {
  return start(databaseUrl, ['--no-web'], 0, ownRoot, settings)
}

function start(
  databaseUrl: string,
  args: string[],
  port: number,
  root = ownRoot,
  more: Record<string, string> = {},
): Promise<Program> {
  const settings = {
    ...{ DATABASE_URL: databaseUrl, PORT: String(port), LOG_LEVEL: 'error', SAMPLE_DEALS: 'off' },
    ...{ ADMIN_USERNAME: username, ADMIN_PASSWORD: password },
    ...more,
  }
  return startServer(runScript('start', args, settings, root))
}

/** Signs the administrator of `startApplication` in; returns the cookie. */
export async function signIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ username, password }),
  })
  if (!response.ok) throw new Error(`Signing in failed: ${response.status} ${await response.text()}`)
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** Sessions of one member: as many as one with a few devices and pages has. */
const sessionsEach = 4

/**
 * Writes `count` sessions, as if made by as many browsers; returns their cookies. The first ones are that
 * administrator's, the others those of members made for it.
 */
export async function makeSessions(databaseUrl: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => randomBytes(32).toString('base64url'))
  await withClient(databaseUrl, (client) =>
    client.query(
      `with made as (
         insert into users (username, password_hash)
         select 'reader ' || gen_random_uuid(), '' from generate_series(1, $4::int) returning id
       ), members as (
         select id, row_number() over (order by id) - 1 as at
         from (select id from users where username = $2 and is_active union all select id from made) both_kinds
       )
       insert into sessions (token_hash, user_id, expires_at, last_used_address)
       select token, id, now() + interval '1 day', '127.0.0.1'
       from unnest($1::bytea[]) with ordinality as given (token, nth) join members on at = (nth - 1) / $3::int`,
      [
        tokens.map((token) => createHash('sha256').update(token).digest()),
        username,
        sessionsEach,
        Math.ceil(count / sessionsEach),
      ],
    ),
  )
  return tokens.map((token) => `dealdeck_session=${token}`)
}

/** Sessions of 64 plain members: each may have a thousand requests a second, so together they are kept waiting by nothing. */
export async function makeReaders(databaseUrl: string): Promise<string[]> {
  return (await makeSessions(databaseUrl, 65 * sessionsEach)).slice(sessionsEach)
}

/** A deal as an import takes it. */
export type ImportRow = Record<string, string | number | boolean | null>

/** Hands deals in over HTTP; returns how many were created or changed, and when the answer was there, by the clock. */
export async function importDeals(
  origin: string,
  cookie: string,
  rows: ImportRow[],
): Promise<{ changes: number; ms: number; at: number }> {
  const start = performance.now()
  const response = await fetch(`${origin}/api/products/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', origin, cookie },
    body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  })
  if (!response.ok) throw new Error(`An import answered ${response.status}: ${await response.text()}`)
  // The contract's ImportResult.
  const { created, updated } = (await response.json()) as { created: number; updated: number }
  return { changes: created + updated, ms: performance.now() - start, at: clock() }
}

let made = 0

/** Deals nobody has handed in before, of this run or another. */
export function newDeals(count: number): ImportRow[] {
  return Array.from({ length: count }, () => {
    made += 1
    // Made deals begin with B0; the time keeps runs on the same database apart. Without a digit it would be no item.
    const asin = `B1${(Math.floor(Date.now() / 1000) % 36 ** 4).toString(36).padStart(4, '0')}${made.toString(36).padStart(4, '0')}`
    return {
      ...{
        asin: asin.toUpperCase(),
        title: `Steel Water Bottle Number ${made} with Handle`,
        price: priceOf(made),
      },
      ...{
        original_price: 99.5,
        rating: 4.5,
        review_count: made,
        availability: 'In stock',
        prime_eligible: true,
      },
      image_url: `https://images.example/I/${made}._AC_SL300_.jpg`,
      product_url: `https://www.amazon.com/dp/${asin.toUpperCase()}`,
    }
  })
}

/** What the import needs of `count` deals that are there to give them other prices. */
export async function someDeals(client: pg.Client, count: number): Promise<ImportRow[]> {
  const { rows } = await client.query<ImportRow>(
    `select asin, title, price::float8, original_price::float8, rating::float8, review_count, image_url, product_url, availability,
            prime_eligible
     from deals where is_visible order by id desc limit $1`,
    [count],
  )
  return rows
}

/** A price that no deal had at its last turn. */
export const priceOf = (turn: number): number => 5 + (turn % 4_999) / 100
