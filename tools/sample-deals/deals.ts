import type { ColourName } from './colours.ts'
import type { DrawingName } from './drawings.ts'
import { giveHistories } from './histories.ts'
import { moreProducts } from './more-products.ts'
import { type Product, products } from './products.ts'
import { type Random, seededRandom } from './random.ts'
import type { SampleDeal } from './sample-deal.ts'
import { specials } from './special-deals.ts'

export const allProducts: readonly Product[] = [...products, ...moreProducts]

// Invented: no maker of these names is known to us.
const brands = [
  ...[
    'Quimbrel',
    'Tockleby',
    'Bramblunk',
    'Yonderpip',
    'Zibbaro',
    'Marnoggle',
    'Fluppin',
    'Grindlewump',
    'Pellowick',
  ],
  ...[
    'Snorvik',
    'Huppalo',
    'Klembury',
    'Dappermole',
    'Wobblefen',
    'Nimbarrow',
    'Tuftaroo',
    'Oddlefinch',
    'Crumhollow',
  ],
]

const dealCount = 400
const seed = 20_260_101

/** The file name of a picture. */
export function imageName(drawing: DrawingName, colour: ColourName): string {
  return `${drawing}-${colour}.svg`
}

/** All sample deals, newest first. The same list on every call. */
export function makeSampleDeals(): SampleDeal[] {
  const random = seededRandom(seed)
  const titles = new Set<string>()
  const deals: SampleDeal[] = []
  while (deals.length < dealCount) {
    // Each round shuffles the products anew, so neighbours on the screen rarely look alike.
    for (const product of random.shuffled(allProducts)) {
      const deal = makeDeal(product, deals.length, random)
      if (deals.length === dealCount || titles.has(deal.title)) continue
      titles.add(deal.title)
      deals.push(deal)
    }
  }
  specials.forEach(({ picture, ...changes }, index) => {
    const deal = deals[6 + index * 4]
    if (!deal) throw new Error('Fewer deals than specials need')
    Object.assign(deal, changes, picture ? { image: imageName(...picture) } : {})
  })
  giveHistories(deals)
  return deals
}

function makeDeal(product: Product, index: number, random: Random): SampleDeal {
  const [colour, colourName] = random.pick(product.colours)
  const usual = product.price[0] * (product.price[1] / product.price[0]) ** random.next()
  const original = random.chance(0.62) ? shopPrice(usual * 1.25, random) : null
  const price = original === null ? shopPrice(usual, random) : discounted(original, random)
  const age = ageOf(index, random)
  const rated = random.chance(0.88)
  return {
    asin: `SAMPLE${String(index + 1).padStart(4, '0')}`,
    title: makeTitle(product, colourName, random),
    price,
    original_price: original !== null && original > price ? original : null,
    rating: rated ? Math.min(5, Math.max(1, Math.round((5 - random.next() ** 2 * 2.4) * 10) / 10)) : null,
    review_count: rated ? Math.floor(10 ** (random.next() * 4.9)) : null,
    image: random.chance(0.015) ? null : imageName(product.drawing, colour),
    availability: availabilityOf(index, random),
    prime_eligible: random.chance(0.55),
    age_minutes: age,
    discord_age_minutes: random.chance(0.3) ? Math.max(0, age - random.between(1, 9)) : null,
    ...{ shows: 'new', history: [], price_age_minutes: age },
  }
}

function makeTitle(product: Product, colourName: string, random: Random): string {
  const parts = [
    random.pick(product.names),
    random.pick(product.features),
    random.pick(product.sizes),
    colourName,
  ]
  return `${random.pick(brands)} ${parts.filter((_part, index) => index === 0 || index === 3 || random.chance(0.75)).join(', ')}`
}

/** Prices end as prices do. */
function shopPrice(amount: number, random: Random): number {
  const cents = random.pick([99, 99, 99, 49, 95, 79, 50, 0])
  return Math.max(0.79, (Math.floor(amount) * 100 + cents) / 100)
}

function discounted(original: number, random: Random): number {
  const percent = random.chance(0.08) ? random.between(70, 90) : random.between(5, 65)
  return Math.max(0.5, Math.round(original * (100 - percent)) / 100)
}

function availabilityOf(index: number, random: Random): string | null {
  const draw = random.next()
  // The first screen shows no gap; later every thirtieth or so is hidden for want of a statement.
  if (draw < 0.03 && index > 30) return null
  if (draw < 0.14) return `Only ${random.between(1, 9)} left`
  if (draw < 0.2) return 'Usually ships within 2 to 3 days'
  return 'In stock'
}

/** Ages in minutes: eight deals are new, some are of the last days; the rest have been watched for weeks, and soon for months. */
function ageOf(index: number, random: Random): number {
  if (index < 8) return index * 2
  if (index < 12) return 50 * 5 ** (index - 8) + random.between(0, 9)
  const days = index < 22 ? 16 + (index - 12) * 5 : 64 + 90 * ((index - 22) / dealCount) ** 1.2
  return Math.floor(days * 1440) + random.between(0, 9)
}
