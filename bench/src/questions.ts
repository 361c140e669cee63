import { factsOf } from '@dealdeck/query/facts'
import { longestQuestion } from '@dealdeck/query/limits'
import { matcherOf } from '@dealdeck/query/matching'
import { parseQuestion } from '@dealdeck/query/parsing'
import { printQuestion } from '@dealdeck/query/printing'
import { atMost, median, percentile, type Report } from './report.ts'

const runs = 2_000
const deals = 1_000

const typed = [
  'wireless earbuds',
  'watches price:<30 off:>=50 -casio sort:price',
  '(lamp OR lantern) brand:"black + decker",philips rating:4+ new:<2h -refurbished',
  'category:"Home > Kitchen" price:5..19.99 reviews:>1k prime:yes condition:new,unknown ends:<1d list:has',
  Array.from({ length: 40 }, (_, at) => `word${at}`).join(' OR '),
]
const pieces = [
  'a',
  '(',
  ')',
  '"',
  '-',
  '"\\',
  ' OR ',
  'a OR ',
  '-(',
  'xyzxyz:a ',
  'price:',
  'price:1,',
  'é',
  '\0',
  '<',
]
const lists = [
  'price:1,',
  'price:1-',
  'price:.',
  'new:1d',
  'brand:"a",',
  'brand:=',
  'condition:x,',
  'https://a/dp/',
]
const hostile = [
  ...pieces.map((piece) => piece.repeat(longestQuestion).slice(0, longestQuestion)),
  ...lists.map(
    (list) =>
      list + (list.split(':')[1] ?? '').repeat(longestQuestion).slice(0, longestQuestion - list.length),
  ),
]

/** What each key pressed in the search box costs, and each deal that a stored question is decided for. */
export async function measureQuestions(): Promise<Report> {
  const parsing = new Map(
    [...typed, ...hostile].map((text) => [text, timesOf(() => parseQuestion(text).tokens.length >= 0)]),
  )
  const slowest = (texts: readonly string[]) =>
    Math.max(...texts.map((text) => median(parsing.get(text) ?? [])))
  // The slowest of all runs is a pause of the machine.
  const most = Math.max(...[...parsing.values()].map((times) => percentile(0.9, times)))
  const printing = typed.map((text) => {
    const { question } = parseQuestion(text)
    return median(timesOf(() => printQuestion(question) !== ''))
  })
  const deciding = typed.map((text) => decidingTime(text))
  return {
    title: 'Questions',
    figures: [
      atMost('understanding one as typed, slowest of 5', slowest(typed), 2, 'ms p50'),
      atMost(`understanding a hostile one, slowest of ${hostile.length}`, slowest(hostile), 10, 'ms p50'),
      atMost('understanding any', most, 10, 'ms p90'),
      atMost('printing, slowest', Math.max(...printing), 2, 'ms p50'),
      atMost(
        'deciding one deal',
        median(deciding) * 1000,
        5,
        'µs p50',
        `slowest question ${(Math.max(...deciding) * 1000).toFixed(2)} µs`,
      ),
    ],
    details: { typed, deciding },
  }
}

/** Milliseconds of each run. */
function timesOf(work: () => boolean): number[] {
  const times: number[] = []
  for (let run = -100; run < runs; run++) {
    const start = performance.now()
    if (!work()) throw new Error('Nothing came of it')
    if (run >= 0) times.push(performance.now() - start)
  }
  return times
}

/** Milliseconds for one deal, in the middle of many rounds over different ones. */
function decidingTime(text: string): number {
  const matches = matcherOf(parseQuestion(text).question.condition)
  const now = Date.now()
  const moment = { now, midnight: now - 3_600_000 }
  const facts = Array.from({ length: deals }, (_, at) =>
    factsOf(
      {
        ...{
          title: `Folding lamp ${at} with a long title of some eighty letters, black`,
          asin: 'B0ABCDEFGH',
        },
        ...{ brand: at % 2 ? 'Philips' : null, category: 'Home > Kitchen & Dining > Lamps', condition: null },
        ...{
          price: at / 10,
          original_price: 50,
          discount_percentage: at % 100,
          rating: 4.5,
          review_count: at * 3,
        },
        ...{ prime_eligible: true, is_sample: false, ends_at: null, verdict: null },
        ...{ first_seen: iso(now - at * 60_000), observed_at: iso(now), last_updated: iso(now) },
      },
      true,
    ),
  )
  let found = 0
  const rounds = timesOf(() => {
    for (const deal of facts) if (matches(deal, moment)) found += 1
    return found >= 0
  })
  return median(rounds) / deals
}

const iso = (time: number) => new Date(time).toISOString()
