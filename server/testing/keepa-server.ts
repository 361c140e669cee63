import { createServer, type IncomingMessage } from 'node:http'
import { whenDone } from './cleanup.ts'
import { listening } from './listening.ts'

export type KeepaServer = {
  base: string
  /** The deals that it lists, in any order. */
  deals: Array<Record<string, unknown>>
  products: Array<Record<string, unknown>>
  tokens: { left: number; refillRate: number; refillIn: number; flowReduction: number }
  /** What it was asked, in order: path, query and the question sent as JSON. */
  asked: Array<{ path: string; query: URLSearchParams; question: Record<string, unknown> | null }>
  /** Answers instead of the usual ones, one for each request: a text is sent as it is, an object beside the tokens. */
  answers: Array<Answered | null>
  /** Requests for this page of deals are counted and never answered; null: none. */
  holdsPage: number | null
}

const pageRows = 150
export const keepaKey = 'keepa-key-of-a-test'

/**
 * An imitation of Keepa's interface, made from its documents and its public clients, never compared with the real one: one
 * bucket of tokens, pages of 150 deals, products. Like the real one it answers whoever has any token left, so it can go below none.
 */
export async function keepaServer(): Promise<KeepaServer> {
  const state: Omit<KeepaServer, 'base'> = {
    ...{ deals: [], products: [], asked: [], answers: [], holdsPage: null },
    tokens: { left: 300, refillRate: 5, refillIn: 20_000, flowReduction: 0 },
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://keepa')
    const question = await questionOf(request)
    state.asked.push({ path: url.pathname, query: url.searchParams, question })
    const { status, body, consumed = 0 } = state.answers.shift() ?? answerOf(state, url, question)
    const { tokens } = state
    tokens.left -= consumed
    if (question?.page === state.holdsPage) return
    const counts = {
      ...{ timestamp: Date.now(), tokensLeft: tokens.left, refillIn: tokens.refillIn },
      ...{
        refillRate: tokens.refillRate,
        tokenFlowReduction: tokens.flowReduction,
        tokensConsumed: consumed,
      },
      processingTimeInMs: 3,
    }
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' })
    // The number of an unknown root category is one that JSON.stringify can't write.
    response.end(
      isText ? body : JSON.stringify({ ...counts, ...body }).replaceAll('"?root?"', '9223372036854775807'),
    )
  })
  whenDone(async () => {
    server.close()
    server.closeAllConnections()
  })
  return Object.assign(state, { base: await listening(server) })
}

type Answered = { status: number; body: string | object; consumed?: number }

function answerOf(
  state: Omit<KeepaServer, 'base'>,
  url: URL,
  question: Record<string, unknown> | null,
): Answered {
  const { searchParams: query } = url
  const error = (status: number, message: string) => ({ status, body: { error: { type: 'error', message } } })
  if (query.get('key') !== keepaKey) return error(401, 'unknown key')
  if (url.pathname === '/token') return { status: 200, body: {} }
  if (state.tokens.left <= 0) return { status: 429, body: {} }
  if (url.pathname === '/deal') {
    const { page, priceTypes, domainId } = question ?? {}
    if (typeof page !== 'number' || !Array.isArray(priceTypes) || priceTypes.length !== 1 || !domainId)
      return error(400, 'selection is malformed')
    const byNewest = [...state.deals].sort((one, other) => Number(other.lastUpdate) - Number(one.lastUpdate))
    const dr = byNewest.slice(page * pageRows, (page + 1) * pageRows)
    const deals = {
      dr,
      drDateIndex: null,
      categoryIds: ['?root?'],
      categoryNames: ['?'],
      categoryCount: [dr.length],
    }
    return { status: 200, body: { deals }, consumed: 5 }
  }
  if (url.pathname !== '/product') return error(400, 'no such request')
  const asins = (query.get('asin') ?? '').split(',')
  if (asins.length > 100 || !query.get('domain')) return error(400, 'too many')
  const products = state.products.filter(({ asin }) => asins.includes(String(asin)))
  return { status: 200, body: { products }, consumed: asins.length * (query.get('rating') === '1' ? 2 : 1) }
}

async function questionOf(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(Buffer.from(piece))
  const text = Buffer.concat(pieces).toString()
  return text === '' ? null : JSON.parse(text)
}

/** A list of Keepa's by price type, with no offer but for the given ones. */
const values = (given: Record<number, number>, none: number) =>
  Array.from({ length: 36 }, (_, at) => given[at] ?? none)

/** Keepa's minutes of a time. */
export const keepaMinutes = (iso: string): number => Math.floor(Date.parse(iso) / 60_000) - 21_564_000

/** A deal as Keepa's list has it: `current` and the average of each period by price type, in the smallest unit of the currency. */
export function keepaDeal(asin: string, current: Record<number, number>, more: Record<string, unknown> = {}) {
  const average = values(
    Object.fromEntries(Object.entries(current).map(([at, price]) => [at, price * 2])),
    -2,
  )
  return {
    ...{ asin, parentAsin: null, title: `Folding lantern ${asin}`, rootCat: '?root?', categories: [172282] },
    ...{ image: [...'71abcDEF-gL.jpg'].map((sign) => sign.charCodeAt(0)), current: values(current, -1) },
    ...{ currentSince: values({}, -1), deltaLast: values({}, 0), delta: Array(4).fill(values(current, -2)) },
    ...{ deltaPercent: Array(4).fill(values({}, -2)), avg: Array(4).fill(average) },
    ...{
      creationDate: keepaMinutes('2026-05-03T00:00:00Z'),
      lastUpdate: keepaMinutes('2026-05-04T06:00:00Z'),
    },
    ...{ lightningEnd: 0, warehouseCondition: 0, warehouseConditionComment: null, ...more },
  }
}

/** A product as Keepa's answer has it, with nothing but its statistics. */
export function keepaProduct(asin: string, current: Record<number, number>) {
  const lastUpdate = keepaMinutes('2026-05-04T06:00:00Z')
  return { asin, domainId: 1, lastUpdate, csv: null, stats: { current: values(current, -1) } }
}
