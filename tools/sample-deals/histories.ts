import type { VerdictKind } from '@dealdeck/contract/prices'
import type { SampleDeal, SamplePrice } from './sample-deal.ts'

/** An earlier price in days before the loading; the list price is the deal's own where none is named. */
type Earlier = [from: number, price: number | null, listPrice?: number | null]
type Current = { price: number; list: number | null; days: number }

/** One way in which prices go before the current one, and what is said of that one then. */
type Shape = {
  shows: VerdictKind
  fits: (deal: Current & { isDiscounted: boolean; isMuchDiscounted: boolean }) => boolean
  /** Oldest first, the first from `days` on; and in the end since when, in days, the current price holds. */
  make: (deal: Current) => { earlier: Earlier[]; since: number }
}

// Shares of an age, so that older deals had their prices for longer.
const part = (days: number, share: number) => Math.round(days * share * 10) / 10

/** What was asked on ordinary days: the list price where it is to be known as charged, else something over the current price. */
const ordinary = ({ price, list }: Current) => list ?? price * 1.35

/** Every kind of verdict, some in two ways. Prices come out rounded to cents. */
const shapes: readonly Shape[] = [
  {
    shows: 'lowest',
    fits: ({ days, list, isMuchDiscounted }) => days >= 36 && (list === null || isMuchDiscounted),
    make: (deal) => ({ earlier: [[deal.days, ordinary(deal)]], since: part(Math.min(deal.days, 90), 0.1) }),
  },
  {
    shows: 'listnotseen',
    fits: ({ days, isMuchDiscounted }) => days >= 60 && isMuchDiscounted,
    make: ({ price, days }) => ({
      earlier: [
        [days, price * 1.12],
        [part(days, 0.7), price * 1.05],
        [part(days, 0.4), price * 1.1],
      ],
      since: part(days, 0.1),
    }),
  },
  {
    shows: 'usual',
    fits: () => true,
    make: ({ price, list, days }) => ({
      earlier: [
        [days, list ?? price * 1.2],
        [part(days, 0.9), price * 1.03],
      ],
      since: part(days, 0.15),
    }),
  },
  {
    // The list price comes with a rise.
    shows: 'raised',
    fits: ({ days, isDiscounted }) => days >= 60 && isDiscounted,
    make: ({ price, days }) => ({
      earlier: [[days, price / 1.25, null]],
      since: part(Math.min(days, 90), 0.12),
    }),
  },
  {
    // Lower for some days once, within five percent.
    shows: 'good',
    fits: ({ days, list, isMuchDiscounted }) => days >= 30 && (list === null || isMuchDiscounted),
    make: (deal) => ({
      earlier: [
        [deal.days, ordinary(deal)],
        [24, deal.price * 0.97],
        [20, ordinary(deal)],
      ],
      since: 4,
    }),
  },
  {
    shows: 'unchanged',
    fits: () => true,
    make: ({ days }) => ({ earlier: [], since: days }),
  },
  {
    shows: 'high',
    fits: () => true,
    make: ({ price, list, days }) => ({
      earlier: [
        [days, list ?? price * 0.95],
        [part(days, 0.95), price / 1.2],
      ],
      since: part(days, 0.08),
    }),
  },
  {
    // Up for some days, then 'off'.
    shows: 'raised',
    fits: ({ days, isDiscounted }) => days >= 60 && isDiscounted,
    make: ({ price, days }) => ({
      earlier: [
        [days, price, null],
        [9, price * 1.4, null],
      ],
      since: 3,
    }),
  },
  {
    // Much lower some time ago.
    shows: 'good',
    fits: ({ days, list, isMuchDiscounted }) => days >= 30 && (list === null || isMuchDiscounted),
    make: (deal) => ({
      earlier: [
        [deal.days, ordinary(deal)],
        [18, deal.price * 0.8],
        [14, ordinary(deal)],
      ],
      since: 2.5,
    }),
  },
  {
    // Not to be had for a fortnight in between.
    shows: 'usual',
    fits: ({ days }) => days >= 45,
    make: ({ price, list, days }) => ({
      earlier: [
        [days, list ?? price * 1.02],
        [days - 5, price * 1.02],
        [34, null],
        [20, price * 1.02],
      ],
      since: 6,
    }),
  },
]

/** Younger than this there is nothing to say of a price, in days. */
const judgedFrom = 16

/** Gives each deal a past, those that fit it in turn, so that every kind is met soon and about as often. */
export function giveHistories(deals: readonly SampleDeal[]): void {
  const used = new Map<Shape, number>()
  for (const deal of deals) {
    const { price, original_price: list } = deal
    const days = deal.age_minutes / 1440
    if (days < judgedFrom) {
      giveRecent(deal)
      continue
    }
    const fit = {
      ...{ price, list, days },
      isDiscounted: list !== null && price <= list * 0.93,
      isMuchDiscounted: list !== null && price <= list * 0.78,
    }
    const fitting = shapes.filter((shape) => shape.fits(fit))
    const [shape] = fitting.sort((a, b) => (used.get(a) ?? 0) - (used.get(b) ?? 0))
    if (!shape) throw new Error('no past fits a sample deal')
    used.set(shape, (used.get(shape) ?? 0) + 1)
    const { earlier, since } = shape.make(fit)
    deal.history = earlier.map(([from, amount, listPrice = list]) => ({
      age_minutes: from === days ? deal.age_minutes : Math.round(from * 1440),
      price: amount === null ? null : Math.round(amount * 100) / 100,
      original_price: amount === null ? null : listPrice,
    }))
    deal.price_age_minutes = since === days ? deal.age_minutes : Math.round(since * 1440)
    // What isn't to be had now is not judged, whatever its past.
    deal.shows = deal.availability === null ? 'new' : shape.shows
  }
}

/** Too young to be judged: it came as it is, or a little dearer. */
function giveRecent(deal: SampleDeal): void {
  const isLower = deal.age_minutes > 600
  const before: SamplePrice = {
    ...{ age_minutes: deal.age_minutes, original_price: deal.original_price },
    price: Math.round(deal.price * 110) / 100,
  }
  deal.shows = 'new'
  deal.history = isLower ? [before] : []
  deal.price_age_minutes = isLower ? 60 : deal.age_minutes
}
