import { type Random, seededRandom } from '../../tools/sample-deals/random.ts'
import { TitleMaker } from './made-titles.ts'

/** A deal made for the measurements; the same index gives the same deal in a run of the same length. */
export type MadeDeal = {
  asin: string
  title: string
  price: number
  original_price: number | null
  rating: number | null
  review_count: number | null
  image_url: string
  product_url: string
  /** Null for the three percent that stay hidden. */
  availability: string | null
  prime_eligible: boolean
  first_seen: string
  discord_timestamp: string | null
}

const end = Date.UTC(2026, 0, 1)
const span = 60 * 86_400_000
const day = 86_400_000

/** Makes `count` deals one after the other, first seen over the sixty days before 2026. */
export function* madeDeals(count: number): Generator<MadeDeal> {
  const titles = new TitleMaker()
  const random = seededRandom(20_260_101)
  for (let index = 0; index < count; index++) yield madeDeal(index, count, titles, random)
}

function madeDeal(index: number, count: number, titles: TitleMaker, random: Random): MadeDeal {
  const asin = madeAsin(index)
  const price = madePrice(random)
  const percent = random.chance(0.6) ? random.between(5, 90) : null
  const isRated = random.chance(0.85)
  const seen = new Date(Math.floor(end - span + (span * index) / count + random.next() * day))
  return {
    asin,
    title: titles.title(random),
    price,
    original_price: percent === null ? null : Math.ceil((price * 10_000) / (100 - percent)) / 100,
    rating: isRated ? Math.round((5 - random.next() ** 2 * 3) * 10) / 10 : null,
    review_count: isRated ? Math.floor(10 ** (random.next() * 5)) : null,
    image_url: `https://images.example/I/${asin}._AC_SL300_.jpg`,
    product_url: `https://www.amazon.com/dp/${asin}`,
    availability: random.chance(0.03)
      ? null
      : random.chance(0.15)
        ? `Only ${random.between(1, 9)} left`
        : 'In stock',
    prime_eligible: random.chance(0.4),
    first_seen: seen.toISOString(),
    discord_timestamp: random.chance(0.3)
      ? new Date(seen.getTime() + random.between(1, 600) * 1000).toISOString()
      : null,
  }
}

/** Unique below 2^31, and in no order, as the shop's own are: multiplication by a generator of a prime field. */
function madeAsin(index: number): string {
  const scrambled = Number((BigInt(index + 1) * 48_271n) % 2_147_483_647n)
  return `B0${scrambled.toString(36).toUpperCase().padStart(8, '0')}`
}

/** Log-normal around 9, nine in ten under 30, ends as prices do. */
function madePrice(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  const amount = Math.min(9_000, Math.exp(Math.log(9) + 0.9 * normal))
  return random.chance(0.6) ? Math.floor(amount) + 0.99 : Math.max(0.5, Math.round(amount * 100) / 100)
}
