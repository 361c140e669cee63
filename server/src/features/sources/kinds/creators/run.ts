import { createHash } from 'node:crypto'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { z } from 'zod'
import { HostQuietError } from '../../../../platform/outgoing/host-turns.ts'
import { FetchError } from '../../../../platform/outgoing/safe-fetch.ts'
import { isObject, type JsonObject, listOf, saidText } from '../../../../platform/outgoing/service-answers.ts'
import type { RunContext, RunOutcome } from '../source-kind.ts'
import { Problem, textOf } from './answers.ts'
import { type CreatorsAddresses, CreatorsClient } from './client.ts'
import { type CreatorsSettings, pageItems } from './form.ts'
import { readItem, resources } from './items.ts'

/** Notes about single items; of more it is said how many. */
const mostNotes = 5
/** Where a run that had to wait goes on with the same questions. */
const positionSchema = z.object({ questions: z.string(), next: z.int().min(0) })

type Question = { operation: 'searchItems' | 'getItems'; body: JsonObject }

/** Asks for all items, and hands over those that have a price. */
export async function runCreators(
  addresses: CreatorsAddresses,
  settings: CreatorsSettings,
  context: RunContext,
): Promise<RunOutcome> {
  const client = new CreatorsClient(addresses, settings, context)
  const questions = questionsOf(settings, context.marketplace)
  const hash = createHash('sha256').update(JSON.stringify(questions)).digest('hex').slice(0, 16)
  const begin = context.isTry ? 0 : nextOf(context.position, hash, questions.length)
  const end = context.isTry ? 1 : questions.length
  const items = new Items(context)
  let problem: RunOutcome | null = null
  let next = begin
  for (; next < end; next++) {
    const [question] = questions.slice(next, next + 1)
    if (!question) break
    try {
      const document = await client.ask(question.operation, question.body)
      if (!items.take(document) && question.operation === 'searchItems') break
    } catch (error) {
      problem = outcomeOf(error, items)
      break
    }
  }
  const isWhole = problem === null && begin === 0 && !context.isTry
  const hasNews = await items.hand(isWhole)
  if (!context.isTry)
    await context.savePosition({ questions: hash, next: problem?.state === 'waiting' ? next : 0 })
  const cost = client.requests === 1 ? '1 request' : `${client.requests} requests`
  return {
    ...(problem ?? { state: hasNews ? 'done' : 'unchanged' }),
    ...{ notes: items.notes(), ...(client.requests > 0 && { cost }) },
  }
}

/** How a run ends that can't go on: what came before is there all the same, and was paid for. Throws whatever else there is to say. */
function outcomeOf(error: unknown, { isEmpty }: Items): RunOutcome {
  if (error instanceof Problem) return error.outcome
  if (isEmpty) throw error
  if (error instanceof FetchError) return { state: 'failed', text: error.message }
  if (error instanceof HostQuietError)
    return { state: 'waiting', text: error.message, notBefore: error.until }
  throw error
}

/** Rows of items as they come, and what there is to say of them. */
class Items {
  readonly #context: RunContext
  readonly #rows: JsonObject[] = []
  readonly #errors = new Set<string>()
  readonly #missing = { offer: 0, price: 0, 'hidden price': 0 }
  #forPrime = 0

  constructor(context: RunContext) {
    this.#context = context
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  /** Takes in an answer, and says whether there may be more behind it. */
  take(document: JsonObject | null): boolean {
    const result = [document?.searchResult, document?.itemsResult].find(isObject)
    const items = listOf(result?.items).filter(isObject)
    for (const item of items) {
      const { row, isForPrime, missing } = {
        isForPrime: false,
        row: null,
        ...readItem(item, this.#context.clock()),
      }
      if (row) this.#rows.push(row)
      if (missing) this.#missing[missing] += 1
      if (isForPrime) this.#forPrime += 1
    }
    for (const error of listOf(document?.errors).filter(isObject)) {
      const reason = saidText(error.reason ?? error.code ?? error.type, [])
      const message = saidText(error.message, Object.values(this.#context.secrets))
      const text = [reason, message].filter((part) => part !== null).join(': ')
      if (text !== '') this.#errors.add(`${text}.`)
    }
    return items.length >= pageItems
  }

  /** Hands everything over, and says whether anything of it was news. */
  async hand(isWhole: boolean): Promise<boolean> {
    if (this.#rows.length === 0) return false
    const handed = await this.#context.hand({ body: this.#rows, availability: '', isWhole, listsAll: false })
    return handed.created + handed.updated + handed.held > 0
  }

  notes(): string[] {
    const errors = [...this.#errors]
    const more = errors.length - mostNotes
    const note = (count: number, text: string) => (count > 0 ? [`${text}: ${count}.`] : [])
    return [
      ...note(this.#missing.offer, 'Items without an offer, left out'),
      ...note(this.#missing.price, 'Items without a price, left out'),
      ...note(this.#missing['hidden price'], 'Items whose price the shop shows in the cart only, left out'),
      ...note(this.#forPrime, 'Prices for Prime members only'),
      ...errors.slice(0, mostNotes),
      ...note(more, 'More that the interface says of single items'),
    ]
  }
}

function nextOf(stored: unknown, hash: string, count: number): number {
  const { data } = positionSchema.safeParse(stored)
  return data && data.questions === hash && data.next < count ? data.next : 0
}

/** All questions of a run, in order: pages of a search, or items ten at a time. Amounts in the smallest unit of the currency. */
function questionsOf(settings: CreatorsSettings, { decimals }: Marketplace): Question[] {
  const { subject, asins, least_price, most_price, least_percent, least_rating, condition } = settings
  const shared = { partnerTag: settings.partner_tag, condition, resources }
  if (subject === 'items') {
    const unique = [...new Set(asins)]
    return Array.from({ length: Math.ceil(unique.length / pageItems) }, (_, at) => ({
      operation: 'getItems',
      body: { ...shared, itemIds: unique.slice(at * pageItems, (at + 1) * pageItems) },
    }))
  }
  const amount = (price: number) => Math.round(price * 10 ** decimals)
  const filters = {
    ...named('keywords', textOf(settings.keywords)),
    ...named('searchIndex', textOf(settings.search_index)),
    ...named('browseNodeId', textOf(settings.browse_node)),
    ...named('minPrice', least_price === null ? null : amount(least_price)),
    ...named('maxPrice', most_price === null ? null : amount(most_price)),
    ...named('minSavingPercent', least_percent === null ? null : Math.round(least_percent)),
    ...named('minReviewsRating', least_rating === null ? null : Math.floor(least_rating)),
    ...(settings.is_prime && { deliveryFlags: ['Prime'] }),
  }
  return Array.from({ length: settings.pages }, (_, at) => ({
    operation: 'searchItems',
    body: { ...shared, ...filters, itemCount: pageItems, itemPage: at + 1 },
  }))
}

const named = (name: string, value: string | number | null) => (value === null ? {} : { [name]: value })
