import type { VerdictKind } from '@dealdeck/contract/prices'
import type { Evidence } from './evidence.ts'
import type { Raise } from './raises.ts'
import { day, thresholds } from './thresholds.ts'
import { dateOf, days, wholeDays } from './wording.ts'

type FormatMoney = (amount: number) => string

/** One thing that can be said of a price. Gates take for granted that none of those before held. */
type VerdictRule = {
  kind: VerdictKind
  holds: (evidence: Evidence) => boolean
  /** One or two sentences with window, days watched and money. */
  text: (evidence: Evidence, money: FormatMoney) => string
  /** At most 40 characters, without what changes by the day. */
  short: (evidence: Evidence) => string
}

const isUnder = ({ price, typical }: Evidence, by: number) => price <= typical * (1 - by)
const isLowest = (evidence: Evidence) =>
  evidence.age90 >= thresholds.lowestAge &&
  evidence.price <= evidence.low90.price &&
  isUnder(evidence, thresholds.alike)
/** Whether enough was watched to say that nobody was seen to be asked the list price. */
const isListPriceMissed = ({ age, isCovered90, discount, isListPriceSeen }: Evidence) =>
  age >= thresholds.listPriceAge && isCovered90 && discount !== null && !isListPriceSeen
const isSeldom = ({ cheaper90, known90 }: Evidence) => cheaper90 <= known90 * thresholds.seldom
const watched = ({ known90 }: Evidence) => `${wholeDays(known90)} watched`
const lessThanTypical = (evidence: Evidence, money: FormatMoney) =>
  `Typical ${money(evidence.typical)}, so ${money(evidence.typical - evidence.price)} less${exception(evidence, money)}.`

/** The short form of the first days. */
export const tooEarly = 'Too early to judge'

/** All verdicts by rank: the first whose gate holds is the strongest that may be said. */
const verdictRules: readonly VerdictRule[] = [
  {
    kind: 'new',
    holds: ({ isShownWrong }) => isShownWrong,
    text: () => 'The price shown was marked as wrong.',
    short: () => 'Price marked as wrong',
  },
  {
    kind: 'new',
    holds: ({ current, price }) => current === undefined || price === 0,
    text: () => 'We have not seen a price of this yet.',
    short: () => 'No price seen yet',
  },
  {
    kind: 'new',
    holds: ({ current }) => current?.price === null,
    text: ({ current, price, now }, money) =>
      `Not offered since ${dateOf(current?.from ?? now, now)}. The last price we have seen was ${money(price)}.`,
    short: () => 'Not offered now',
  },
  {
    kind: 'new',
    holds: ({ age }) => age < thresholds.youngest,
    text: ({ age, watchedInAll }) =>
      age - watchedInAll < day
        ? `We have watched this for ${age < day ? 'less than a day' : days(Math.floor(age / day))}. Too early to judge.`
        : `We first saw this ${days(Math.floor(age / day))} ago and watched it on ${wholeDays(watchedInAll)} of them. Too early to judge.`,
    short: () => tooEarly,
  },
  {
    kind: 'new',
    holds: ({ isCovered30, known90 }) => !isCovered30 || known90 < thresholds.leastWatched,
    text: ({ isCovered30, known30, known90, current, now }) => {
      const [known, window] = isCovered30 ? [known90, 90] : [known30, 30]
      return known === 0
        ? `We have not seen this since ${dateOf(current?.lastSeen ?? now, now)}. Too long ago to judge.`
        : `We have seen this on ${wholeDays(known)} of the last ${window} days. Too few to judge.`
    },
    short: () => 'Seen too rarely',
  },
  {
    kind: 'new',
    holds: ({ isSuspect }) => isSuspect,
    text: ({ price, typical }, money) =>
      `${money(price)} is far from the typical ${money(typical)} and was seen only briefly. Too early to judge.`,
    short: () => 'Unusual price, seen only briefly',
  },
  {
    kind: 'unchanged',
    holds: ({ isOnlyPrice }) => isOnlyPrice,
    text: (evidence, money) => {
      const { price, knownInAll, listPrice } = evidence
      const seen = `Always ${money(price)} in the ${days(wholeDays(knownInAll))} we have seen. This is its normal price`
      return isListPriceMissed(evidence)
        ? `${seen}; we have not seen the ${money(listPrice ?? 0)} list price.`
        : `${seen}.`
    },
    short: () => 'Its normal price',
  },
  {
    kind: 'raised',
    holds: ({ raise, isCovered90 }) => raise !== null && isCovered90,
    text: (evidence, money) => (evidence.raise ? raisedText(evidence, evidence.raise, money) : ''),
    short: ({ discount }) => `Raised before the ${discount ?? 0} % off`,
  },
  {
    kind: 'listnotseen',
    holds: isListPriceMissed,
    text: (evidence, money) => {
      const evidenceSeen = `${watched(evidence)}, highest ${money(evidence.high90.price)}`
      return `We have not seen the ${money(evidence.listPrice ?? 0)} list price in 90 days (${evidenceSeen}). ${standing(evidence, money)}`
    },
    short: () => 'List price not seen in 90 days',
  },
  {
    kind: 'lowest',
    holds: isLowest,
    text: (evidence, money) =>
      `Lowest we have seen in 90 days (${watched(evidence)}). ${lessThanTypical(evidence, money)}`,
    short: () => 'Lowest in 90 days',
  },
  {
    kind: 'good',
    holds: (evidence) =>
      isUnder(evidence, thresholds.goodUnderTypical) &&
      evidence.price <= evidence.low90.price * (1 + thresholds.alike),
    text: (evidence, money) =>
      `${
        evidence.cheaper90 > 0
          ? `Near its low: cheaper on ${isSeldom(evidence) ? 'only ' : ''}${wholeDays(evidence.cheaper90)} of 90 days (${watched(evidence)}).`
          : `As low as any price of the ${days(wholeDays(evidence.known90))} we have seen.`
      } ${lessThanTypical(evidence, money)}`,
    short: () => 'Near its low of 90 days',
  },
  {
    // Well under what is typical, though it was lower still: without this nothing true could be said of it.
    kind: 'good',
    holds: (evidence) => isUnder(evidence, thresholds.goodUnderTypical),
    text: (evidence, money) =>
      `${money(evidence.typical - evidence.price)} under the typical ${money(evidence.typical)} of 90 days (${watched(evidence)}). It was ${money(evidence.low90.price)} on ${dateOf(evidence.low90.seenAt, evidence.now)}.`,
    short: () => 'Well under its usual price',
  },
  {
    kind: 'high',
    holds: ({ price, typical }) => price > typical * (1 + thresholds.alike),
    text: (evidence, money) =>
      `Usually cheaper: ${money(evidence.typical)} typical in 90 days (${watched(evidence)}).`,
    short: () => 'Usually cheaper',
  },
  {
    kind: 'usual',
    holds: (evidence) => isUnder(evidence, thresholds.alike),
    text: (evidence, money) =>
      `A little under what it usually costs: ${money(evidence.typical)} typical in 90 days (${watched(evidence)}).`,
    short: () => 'A little under its usual price',
  },
  {
    kind: 'usual',
    holds: () => true,
    text: (evidence, money) =>
      `About what it usually costs: ${money(evidence.typical)} typical in 90 days (${watched(evidence)}).`,
    short: () => 'About what it usually costs',
  },
]

/** The strongest that the evidence allows to be said, in words. */
export function strongestVerdict(
  evidence: Evidence,
  money: FormatMoney,
): { kind: VerdictKind; text: string; short: string } {
  const rule = verdictRules.find(({ holds }) => holds(evidence))
  if (!rule) throw new Error('no verdict holds, though the last one always does')
  return { kind: rule.kind, text: rule.text(evidence, money), short: rule.short(evidence) }
}

function raisedText(evidence: Evidence, raise: Raise, money: FormatMoney): string {
  const [risen, shown] = [dateOf(raise.at, evidence.now), dateOf(raise.shownSince, evidence.now)]
  const since = risen === shown ? 'then' : shown
  const rise = `Rose from ${money(raise.from)} to ${money(raise.to)} on ${risen}`
  return `${rise}, shown as ${evidence.discount ?? 0} % off since ${since}. Usually ${money(raise.typicalBefore)} in the 90 days before it rose (${wholeDays(raise.knownBefore)} watched).`
}

/** Where a price stands whose list price says nothing. */
function standing(evidence: Evidence, money: FormatMoney): string {
  const { price, typical } = evidence
  const difference = `${money(Math.abs(typical - price))} ${price < typical ? 'under' : 'over'} the typical ${money(typical)}`
  if (isLowest(evidence))
    return `At ${money(price)} it is the lowest of that time, ${difference}${exception(evidence, money)}.`
  if (Math.abs(price / typical - 1) <= thresholds.alike) return `${money(typical)} is typical.`
  return `At ${money(price)} it is ${difference}.`
}

/** What a low leaves out. */
const exception = ({ lowerSuspect, now }: Evidence, money: FormatMoney) =>
  lowerSuspect
    ? ` (not counting ${money(lowerSuspect.price)} on ${dateOf(lowerSuspect.seenAt, now)}, seen only briefly)`
    : ''
