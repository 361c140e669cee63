import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import type { Databases } from '../../server/src/platform/database/database.ts'
import { openAdmin } from './admin.ts'
import { soon } from './moments.ts'

/** Somebody else's site: what it answers at each path, which a test may change at any time. */
export type Site = {
  origin: string
  answers: Map<string, { status?: number; type?: string; body: string }>
  /** The headers of each request, the oldest first. */
  asked: Record<string, unknown>[]
  close: () => Promise<void>
}

export async function openSite(): Promise<Site> {
  const answers: Site['answers'] = new Map()
  const asked: Site['asked'] = []
  const server = createServer((request, response) => {
    asked.push({ ...request.headers })
    const {
      status = 200,
      type = 'application/json',
      body,
    } = answers.get(request.url ?? '') ?? {
      status: 404,
      body: 'Not here',
    }
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // It listens on TCP, which has a port.
  const { port } = server.address() as AddressInfo
  return {
    ...{ origin: `http://127.0.0.1:${port}`, answers, asked },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** No sources, nothing in quarantine. */
export async function removeSources({ durablePool }: Databases): Promise<void> {
  await durablePool.query('delete from sources')
}

type SourceRow = Record<string, string | number | boolean | null>

/** A source that nobody asks unless a test says when; returns its id. */
export function insertSource(databases: Databases, values: SourceRow = {}): Promise<number> {
  return insertRow(databases, 'sources', {
    ...{ kind: 'address', name: 'mugs.example', interval_from: 15, interval_to: 1_440 },
    ...{ keeps_history: true, may_leave: '{price,picture,title}', is_paused: false, state: 'ok' },
    settings: JSON.stringify({ url: 'http://127.0.0.1:9/mugs.json', availability: 'In stock' }),
    next_run_at: soon(12 * 60),
    last_run_at: soon(-3),
    last_success_at: soon(-3),
    ...values,
  })
}

/** What makes a source silent, or its bars high: new deals of the last days, and how often something new came. */
export function rhythm(perDay: readonly number[], gapMinutes = 0): string {
  const days = perDay.map((count, at) => [soon((at - perDay.length + 1) * 24 * 60).slice(0, 10), count])
  return JSON.stringify({ days: Object.fromEntries(days), gap_minutes: gapMinutes, gaps: 5 })
}

/** A finished run; returns its id. */
export function insertRun(databases: Databases, sourceId: number, values: SourceRow = {}): Promise<number> {
  const run = { source_id: sourceId, state: 'done', started_at: soon(-4), finished_at: soon(-3.9), ...values }
  return insertRow(databases, 'source_runs', run)
}

async function insertRow({ durablePool }: Databases, table: string, row: SourceRow): Promise<number> {
  const names = Object.keys(row)
  const places = names.map((_, at) => `$${at + 1}`)
  const { rows } = await durablePool.query<{ id: number }>(
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')}) returning id`,
    Object.values(row),
  )
  const [written] = rows
  if (!written) throw new Error('It was just written')
  return written.id
}

type Held = {
  asin: string
  title?: string
  price?: number
  rule?: string
  reason?: string
  old?: object | null
  /** Of another shop: in this currency. */
  currency?: string
}

/** Rows that wait, as reading them leaves them. */
export async function insertHeld(databases: Databases, sourceId: number, held: Held[]): Promise<void> {
  const rows = held.map(
    ({ asin, title = `Camping lantern ${asin}`, price = 4, old = { price: 40 }, currency, ...why }) => {
      const nothing = [
        'original_price',
        'brand',
        'category',
        'condition',
        'rating',
        'review_count',
        'image_url',
      ]
      const more = [
        'prime_eligible',
        'posted_to_discord',
        'first_seen',
        'ends_at',
        'discord_timestamp',
        'is_over',
      ]
      const deal = {
        ...Object.fromEntries([...nothing, ...more].map((name) => [name, null])),
        ...{ has_original_price: false, has_availability: true, availability: 'In stock' },
        ...{ asin, title, price, observed: Date.now() * 1_000 },
        ...(currency && { other_currency: currency }),
      }
      const { rule = 'price_low', reason = '$4.00 is less than a twentieth of the last price, $40.00.' } = why
      const ours = old && currency ? { ...old, currency: 'USD' } : old
      return { asin, rule, reason, old: ours, new: { price, title, ...(currency && { currency }) }, deal }
    },
  )
  await databases.durablePool.query(
    `insert into quarantine (source_id, asin, rule, reason, old, new, deal)
     select $1, r.asin, r.rule, r.reason, r.old, r.new, r.deal
     from jsonb_to_recordset($2) as r(asin text, rule text, reason text, old jsonb, new jsonb, deal jsonb)`,
    [sourceId, JSON.stringify(rows)],
  )
}

/** The screen of sources. */
export function sourcesPage(page: Page) {
  const list = page.getByRole('list', { name: 'List of sources' }).getByRole('listitem')
  return {
    open: () => openAdmin(page, 'sources'),
    list,
    row: (name: string) => list.filter({ has: page.getByRole('link', { name, exact: true }) }),
    action: (what: string, name: string) =>
      page.getByRole('button', { name: `${what}: ${name}`, exact: true }),
    // A kind may be called as a field of its form is.
    field: (label: string) => page.getByLabel(label, { exact: true }).and(page.locator(':not([type=radio])')),
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    runs: page.getByRole('list', { name: 'Runs' }).getByRole('listitem'),
    result: page.getByRole('region', { name: 'What it would bring' }),
  }
}
