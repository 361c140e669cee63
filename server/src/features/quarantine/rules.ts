import { foldText } from '@dealdeck/query/folding'
import type { NumberText } from '../../platform/numbers.ts'

/** Every rule by its name, with what people read. Those of whole documents hold all of it that would change something. */
export const quarantineRules = {
  currency: 'Another currency',
  marketplace: 'Another marketplace',
  price_low: 'Price far below what it was',
  price_high: 'Price far above what it was',
  list_price: 'Price next to nothing of the list price',
  title: 'Another title',
  prices_changed: 'Many prices changed at once',
  shrunk: 'Far fewer rows than usual',
  doubled: 'Far more rows than usual',
  ended: 'Deals ended or hidden',
} as const
type QuarantineRule = keyof typeof quarantineRules
/** Rules whose rows are of another shop, and count as rows of a document only where they are trusted. */
export const shopRules: readonly QuarantineRule[] = ['currency', 'marketplace']

/** What a person reads for a rule; one that another version knows is called by its name. */
export const labelOf = (rule: string): string => new Map(Object.entries(quarantineRules)).get(rule) ?? rule

/**
 * A row against what is stored; nulls where nothing is. `typical` is the median of 90 days, or else what the source itself says is usual;
 * `first_price` the first one seen, where neither is known. `old_title` is what this source last said, where others say something else.
 */
export type ComparedRow = {
  price: number
  original_price: number | null
  title: string
  old_price: number | null
  old_title: string | null
  typical: number | null
  first_price: number | null
  /** Prices of it that somebody has let through before, of whichever source. */
  passed_prices?: readonly number[] | null
  /** It ends or hides a deal that only other sources list. */
  ends_others: boolean
  /** The currency and the marketplace that it states, where they aren't this one's. */
  other_currency: string | null
  other_marketplace: string | null
}
/** `counted`: what rows with it are counted under, as refusals of the importer are. */
export type Fault = { rule: QuarantineRule; reason: string; counted?: string }
/** What somebody has decided of rules for a source: these hold nothing of it, and what those object to is refused without waiting. */
export type DecidedRules = { trusted: ReadonlySet<string>; refused: ReadonlySet<string> }

/** The first fault that counts. One that is always refused comes before one that waits. */
function firstFault(
  faults: readonly (Fault | undefined)[],
  { trusted, refused }: DecidedRules,
): Fault | undefined {
  const left = faults.filter((fault) => fault && !trusted.has(fault.rule))
  return left.find((fault) => fault && refused.has(fault.rule)) ?? left[0]
}

/** What rows are counted under that are always refused for a fault. */
export const refusalOf = ({ rule, counted }: Fault): string =>
  `${counted ?? labelOf(rule).toLowerCase()}, always refused`

/**
 * A price under a ninth of the typical one, or above nine times that, is believed by nobody unseen. Rounding may leave a price whose
 * decimal point has moved a little above the tenth.
 */
export const farTimes = 9
/** Where the stored price is as odd, one within this factor of what somebody has let through is as believable; of the stored one, if nobody has. */
const nearTimes = 2
/** Of a list price that is stated along with it, a price is at least this share. */
const listShare = 0.05
/** Two titles with less than this share of the shorter one's words in common are of two things. */
const commonWords = 0.2
/** A title of fewer words can change altogether and be of the same thing. */
const fewestWords = 3

/** Writes an amount as the marketplace's country does. */
type Money = (amount: number) => string
/** This marketplace, with its amounts in its money and as mere numbers. */
export type OwnShop = { domain: string; currency: string; money: Money; number: Money }

/** Why a row is to wait for a person; undefined where it isn't. What is stored already is nobody's surprise. */
export function rowFault(row: ComparedRow, decided: DecidedRules, shop: OwnShop): Fault | undefined {
  const { money } = shop
  const faults = [priceFault(row, money), listFault(row, money), titleFault(row), endFault(row)]
  // What is of another shop can't be compared with what is stored here.
  return firstFault([...otherShopFaults(row, shop), ...faults], decided)
}

type ShopRow = Pick<ComparedRow, 'price' | 'other_currency' | 'other_marketplace'>

export type OtherShopFate = { fate: 'deal' | 'held' | 'refused'; reason: string; counted: string }

/** What becomes of a row of another shop, and why in words. `before`: what was decided of the same row before, if anything. */
export function otherShopFate(
  row: ShopRow,
  decided: DecidedRules,
  { shop, before }: { shop: OwnShop; before: string | undefined },
): OtherShopFate {
  const faults = otherShopFaults(row, shop)
  const fault = firstFault(faults, decided)
  const isRefused = fault !== undefined && decided.refused.has(fault.rule)
  const counted = fault?.counted ?? ''
  if (!fault || (before === 'passed' && !isRefused)) {
    const why = fault ? 'the same was before' : 'this source is trusted for that'
    return { fate: 'deal', reason: `${faults[0]?.reason} It is let through, as ${why}.`, counted }
  }
  const refusal = isRefused ? refusalOf(fault) : before === 'refused' ? 'the same was refused before' : null
  return refusal === null
    ? { fate: 'held', reason: fault.reason, counted }
    : { fate: 'refused', reason: refusal, counted: refusal }
}

type NewRow = Pick<ComparedRow, 'price' | 'original_price' | 'title' | 'typical'>

/** What becomes of a row of this shop by what it says itself, whatever is stored. `counted` is what such rows are counted under. */
export function newRowFate(
  row: NewRow,
  decided: DecidedRules,
  { shop, before }: { shop: OwnShop; before: string | undefined },
): OtherShopFate {
  const nothing = { old_price: null, old_title: null, first_price: null, ends_others: false }
  const compared = { ...row, ...nothing, other_currency: null, other_marketplace: null }
  const fault = rowFault(compared, decided, shop)
  if (!fault) return { fate: 'deal', reason: '', counted: '' }
  const isRefused = decided.refused.has(fault.rule)
  if (!isRefused && before !== 'refused')
    return { fate: 'held', reason: fault.reason, counted: labelOf(fault.rule).toLowerCase() }
  const refusal = isRefused ? refusalOf(fault) : 'the same was refused before'
  return { fate: 'refused', reason: refusal, counted: refusal }
}

function otherShopFaults(
  { price, other_currency: currency, other_marketplace: marketplace }: ShopRow,
  shop: OwnShop,
): Fault[] {
  const isOf = `is of ${marketplace}, not of ${shop.domain}`
  const faults: Fault[] = []
  if (currency !== null) {
    const named = /^(?:[A-Z]{3}|\p{Sc})$/u.test(currency) ? currency : `“${currency}”`
    const isIn = `Its price is in ${named}, not in ${shop.currency}`
    const counts = `Let through, ${shop.number(price)} counts as ${shop.money(price)}`
    const reason =
      marketplace === null
        ? `${isIn}. ${counts}.`
        : `${isIn}, and it ${isOf}. ${counts}, and its ASIN as ${shop.domain}’s.`
    faults.push({ rule: 'currency', reason, counted: `another currency: ${currency}` })
  }
  if (marketplace !== null) {
    const reason = `It ${isOf}. Let through, its ASIN and price are taken as ${shop.domain}’s.`
    faults.push({ rule: 'marketplace', reason, counted: `another marketplace: ${marketplace}` })
  }
  return faults
}

function priceFault(
  { price, old_price: last, typical, first_price: first, passed_prices: passed }: ComparedRow,
  money: Money,
): Fault | undefined {
  // Of a price that creeps away step by step the last one says nothing, and the first one all.
  const usual = typical ?? first ?? last
  if (usual === null) return undefined
  // Of a price that isn't odd itself this says nothing: by halves it would come to any other in a few polls, as it would measured by the last.
  const isOdd = last !== null && (last * farTimes < usual || last > usual * farTimes)
  const believed = isOdd ? (passed?.length ? passed : [last]) : []
  const isNear = believed.some((known) => price * nearTimes >= known && price <= known * nearTimes)
  if (last === price || isNear) return undefined
  const isFirst = first !== null && first !== last
  const which = typical === null ? (isFirst ? 'first price seen' : 'last price') : 'typical price'
  const named = `the ${which}, ${money(usual)}`
  if (price * farTimes < usual)
    return { rule: 'price_low', reason: `${money(price)} is less than a ninth of ${named}.` }
  if (price > usual * farTimes)
    return { rule: 'price_high', reason: `${money(price)} is more than ${farTimes} times ${named}.` }
  return undefined
}

function listFault(
  { price, original_price: list, old_price: last }: ComparedRow,
  money: Money,
): Fault | undefined {
  if (list === null || price === last || price >= list * listShare) return undefined
  const share = Math.round(listShare * 100)
  return {
    rule: 'list_price',
    reason: `${money(price)} is less than ${share} % of the list price, ${money(list)}.`,
  }
}

function titleFault({ title, old_title: old }: ComparedRow): Fault | undefined {
  if (old === null || title === old || isSameThing(title, old)) return undefined
  return { rule: 'title', reason: 'Hardly a word of the title is the same: the item may be another one.' }
}

const endFault = ({ ends_others: ends }: ComparedRow): Fault | undefined =>
  ends ? { rule: 'ended', reason: 'It ends or hides a deal that only other sources list.' } : undefined

/** Whether two titles have so many words in common that they may be of one thing; short ones always may. */
function isSameThing(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const least = Math.min(a.size, b.size)
  if (least < fewestWords) return true
  const common = [...a].filter((word) => b.has(word)).length
  return common >= least * commonWords
}

const wordsOf = (title: string): Set<string> =>
  new Set(
    foldText(title)
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 1),
  )

/** Fewer rows than this are no measure of anything. */
const leastRows = 20
/** So many sizes are to be known before one can be too large: the first documents of a source often grow. */
const knownBeforeDoubled = 3
/** Sizes of good documents that are remembered, the newest last. */
export const rememberedSizes = 10
/** So many polls in a row that list about as many rows, far fewer than before, are how it is now. */
export const acceptedPolls = 3
/** About as many: the longest of them by no more than this factor. What is broken off somewhere differs by more, what is really there by a few. */
const alikeTimes = 1.25
/** Documents whose sizes differ by no more than this factor are all about as large. */
const steadyTimes = 2
/** So many deals that other sources list, and this one doesn't, make a whole document wait; so do so many that are all it has. */
const fewestEnded = 5
/** So many of the known prices may change at once. */
const changedShare = 1 / 3

/**
 * What is known of a whole document: items in it, how many of them are stored, and of how many the price is another; how many of them
 * are shown, how many of these it ends or hides, and how many of those only other sources list.
 */
export type DocumentCounts = Record<'items' | 'known' | 'changed' | 'shown' | 'ended' | 'others', number>
/** Polls in a row whose documents were all about as short: items of the shortest and of the longest. */
export type ShrunkenPolls = { items: number; most: number; polls: number }
/** Items of the last good documents, the newest last; what came after them; and whether the last one is so old that prices may all have changed. */
export type DocumentHistory = {
  sizes: readonly number[]
  shrunken: ShrunkenPolls | null
  isLongAgo: boolean
}

/** The same after one more that was too short; one of another size begins anew. */
export function shrunkenPolls(before: ShrunkenPolls | null, items: number): ShrunkenPolls {
  const least = Math.min(items, before?.items ?? items)
  const most = Math.max(items, before?.most ?? items)
  if (!before || most > least * alikeTimes) return { items, most: items, polls: 1 }
  return { items: least, most, polls: before.polls + 1 }
}

/** Whether a document lists less than half of what the last good one did: then what it leaves out may well be there. */
export function isShrunken({ items }: DocumentCounts, { sizes }: DocumentHistory): boolean {
  const last = sizes.at(-1) ?? 0
  return items * 2 < last || (items === 0 && last > 0)
}

/**
 * Why a document is to wait as a whole; undefined where it isn't. Its size says less of a source whose documents aren't all about as
 * large: many list what is new at the time, a dozen rows now and a thousand then. Only what is beyond all of them by the square of
 * their spread is a surprise; sizes of public sources, poll by poll, go beyond a fixed factor.
 */
export function documentFault(
  counts: DocumentCounts,
  { sizes, shrunken, isLongAgo }: DocumentHistory,
  decided: DecidedRules,
  count: NumberText,
): Fault | undefined {
  const { items, known, changed } = counts
  const faults: (Fault | undefined)[] = []
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
  if (sizes.length > 0 && least > 0) {
    const spread = most / least
    const usual = least === most ? count(least) : `${count(least)} to ${count(most)}`
    const reason = `${count(items)} rows, where there were ${usual}.`
    const times = spread <= steadyTimes ? steadyTimes : spread ** 2
    const isAccepted = shrunkenPolls(shrunken, items).polls >= acceptedPolls
    if (most >= leastRows && items * times < least && !isAccepted) faults.push({ rule: 'shrunk', reason })
    if (sizes.length >= knownBeforeDoubled && items >= leastRows && items > most * times)
      faults.push({ rule: 'doubled', reason })
  }
  if (!isLongAgo && changed >= leastRows && changed >= known * changedShare)
    faults.push({
      rule: 'prices_changed',
      reason: `The prices of ${count(changed)} of ${count(known)} known deals changed at once.`,
    })
  faults.push(endingFault(counts, isLongAgo, count))
  return firstFault(faults, decided)
}

function endingFault(counts: DocumentCounts, isLongAgo: boolean, count: NumberText): Fault | undefined {
  const { shown, ended, others } = counts
  if (others >= fewestEnded)
    return { rule: 'ended', reason: `It ends or hides ${count(others)} deals that only other sources list.` }
  const isMost = ended >= leastRows && ended * 2 > shown
  const isAll = ended >= fewestEnded && ended === shown
  if (isLongAgo || !(isMost || isAll)) return undefined
  return { rule: 'ended', reason: `It ends or hides ${count(ended)} of ${count(shown)} deals at once.` }
}
