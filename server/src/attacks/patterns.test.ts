import { asinOf, asinOfAddress, readAsin, repairedIsbn, shopOfAddress } from '@dealdeck/marketplace/asin'
import { normaliseFilterCode } from '@dealdeck/marketplace/filter-codes'
import { readPrice, readPriceRange } from '@dealdeck/marketplace/prices'
import { parseSearchLink } from '@dealdeck/marketplace/search-parsing'
import { expect, test } from 'vitest'
import { containsPattern, readCursor, wordPatterns } from '../features/deals/rules.ts'
import { foldName, readFilterFile } from '../features/filters/rules.ts'
import { readImage } from '../features/ingest/reading/addresses.ts'
import { currencyInName, nameScore } from '../features/ingest/reading/column-names.ts'
import { parseColumnMap } from '../features/ingest/reading/corrections.ts'
import { currencyOf } from '../features/ingest/reading/currencies.ts'
import { readCount, readRating } from '../features/ingest/reading/figures.ts'
import {
  readAvailability,
  readBoolean,
  readPrime,
  strayAvailability,
} from '../features/ingest/reading/flags.ts'
import { shopOf } from '../features/ingest/reading/marketplace-names.ts'
import { readMoney } from '../features/ingest/reading/money.ts'
import { Originals } from '../features/ingest/reading/originals.ts'
import {
  isMoneyAlone,
  readOriginal,
  readPrice as readPriceCell,
} from '../features/ingest/reading/price-texts.ts'
import { cleanText } from '../features/ingest/reading/text.ts'
import { readEnd, readTime } from '../features/ingest/reading/times.ts'
import { readTitle } from '../features/ingest/reading/titles.ts'
import { describeDevice } from '../features/profile/rules.ts'

/** Everything that reads a text somebody else wrote, on its own. */
const readers: Record<string, (text: string) => unknown> = {
  asinOf,
  asinOfAddress,
  readAsin,
  repairedIsbn,
  shopOfAddress,
  normaliseFilterCode,
  readPrice,
  readPriceRange,
  parseSearchLink: (text) =>
    parseSearchLink(`https://www.amazon.com/s?k=${text}&rh=${text}`, [], { domain: 'amazon.com' }),
  parsedAddress: (text) => parseSearchLink(text, [], { domain: 'amazon.com' }),
  containsPattern,
  wordPatterns,
  readCursor: (text) => readCursor(text, 'newest'),
  foldName,
  readFilterFile,
  filterCells: (text) => readFilterFile(`category,name,code\nbrands,${text},${text}`),
  readImage: (text) => readImage(text, 'amazon.com'),
  nameScore: (text) => nameScore('price', text),
  currencyInName,
  parseColumnMap,
  readCount,
  readRating,
  readAvailability,
  readBoolean,
  readPrime,
  strayAvailability,
  shopOf,
  currencyOf,
  readMoney: (text) => readMoney(text, '.'),
  readPriceCell: (text) => readPriceCell(text, '.'),
  readOriginal: (text) => readOriginal(text, '.'),
  isMoneyAlone,
  believedOriginal: (text) => new Originals().believed(3, 2, text),
  readTitle: (text) => readTitle(text, () => undefined),
  cleanText: (text) => cleanText(text, 500),
  readEnd,
  readTime,
  describeDevice,
}

// What makes a careless pattern try again and again: runs of whatever one begins, repeats or ends with.
const runs = [
  ' ',
  '\t',
  '\n',
  '"',
  "'",
  '`',
  '”',
  '%',
  '%25',
  '%22',
  '&',
  '&amp;',
  '&#',
  '=',
  ',',
  ';',
  '|',
  ':',
  '.',
  '-',
  '/',
  '\\',
  '(',
  '[',
  '{',
  '<',
  '<b ',
  '<!',
  '0',
  '9',
  '1 ',
  '1,',
  '1.',
  '$1',
  '£',
  'a',
  'A',
  'aA',
  'a.',
  'a-',
  'a/',
  'B',
  'é',
  'Ã',
  'Ã¢',
  '\u200b',
  '\u0301',
  '\ud83d\ude00',
  '\ud800',
  'ﷺ',
  'not ',
  'no prime ',
  'dp/',
  'amazon.',
  'https://',
  'p_89:',
  'n:1,',
  'rh=',
  '_',
  '+',
]
const length = 100_000
const limitMs = 1_500

/** The processor time of this thread alone: others collect garbage, or do the work of files that were here before. */
async function cost(read: (text: string) => unknown, text: string): Promise<number> {
  const began = process.threadCpuUsage()
  try {
    await read(text)
  } catch {
    // Refusing is as good as reading, as long as it doesn't take long.
  }
  return process.threadCpuUsage(began).user / 1000
}

async function slowest(read: (text: string) => unknown): Promise<{ run: string; ms: number }> {
  let worst = { run: '', ms: 0 }
  for (const run of runs) {
    const body = run.repeat(length / run.length)
    for (const text of [body, `x${body}!`, `1${body}x`, `"${body}x`]) {
      let ms = await cost(read, text)
      // Twice: a machine that has too much to do is slow now and then, a quadratic pattern always.
      if (ms > limitMs) ms = Math.min(ms, await cost(read, text))
      if (ms > worst.ms) worst = { run, ms }
      // One is enough to fail; a hundred would keep everybody waiting.
      if (ms > limitMs) return worst
    }
  }
  return worst
}

// Processor time, whatever else the machine does, and generous: in a quadratic pattern each of these takes many
// seconds, in a good one milliseconds.
test.each(Object.entries(readers))('%s reads 100 KB of anything in bounded time', async (_, read) => {
  const { run, ms } = await slowest(read)
  expect([run, ms <= limitMs ? 'soon' : ms]).toEqual([run, 'soon'])
})
