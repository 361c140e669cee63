import { contract } from '@dealdeck/contract/api'
import type { Deal, DealPage } from '@dealdeck/contract/deals'
import { asinOf } from '@dealdeck/contract/places'
import { addressOf, newestQuestion, preloadsOf, pricePathsOf } from '@dealdeck/contract/preloads'

/** Bodies that the API answered with, by address. */
type Answers = ReadonlyMap<string, string>

/** What the screen of an address begins with. */
export type FirstScreen = {
  /** The source of its part of the program, within the web app. */
  source: string
  /** What it asks the API for first. */
  asks: readonly string[]
  /** What it asks for next, knowing those answers. */
  asksThen?: (answers: Answers) => readonly string[]
  /** The address of the picture it shows first, as the bodies of those answers have it. */
  picture?: (answers: Answers) => string | undefined
  /** The title of the deal that it is about, as they have it. */
  title?: (answers: Answers) => string | undefined
}

const preloads = preloadsOf(contract)
const newestDeals = preloads.deals(newestQuestion)
const defaultFeed = preloads.deals()
const defaultCount = preloads.count()

/** The address of a deal's picture, if it is one of those a browser may fetch pictures from. */
function pictureOf(deal: Partial<Deal> | undefined): string | undefined {
  const address = deal?.image_url ?? ''
  return /^(https:|\/[^/])/.test(address) ? address : undefined
}

/** The same of the first deal of a list. */
const firstPicture = (list: string) => (answers: Answers) => {
  // The answers are the contract's own; without a list there is nothing to find.
  const page: Partial<DealPage> = JSON.parse(answers.get(list) ?? '{}')
  return pictureOf(page.items?.[0])
}

const screens: Record<string, (isPlain: boolean) => FirstScreen> = {
  '/': () => ({
    source: 'src/app/home.tsx',
    asks: [newestDeals, preloads.stats, preloads.home],
    picture: firstPicture(newestDeals),
  }),
  '/amazon-haul': (isPlain) => ({
    source: 'src/app/feed.tsx',
    asks: isPlain ? [defaultFeed, defaultCount, preloads.stats] : [preloads.stats],
    picture: firstPicture(defaultFeed),
  }),
  '/tools': () => ({ source: 'src/app/link-tools.tsx', asks: [preloads.filters] }),
}

/**
 * What a page brings along, by its path: exactly what the web app would ask for first; `isPlain`: the address has no parameters.
 * Where a reader's own settings ask for something else, the app does so itself.
 */
export function firstScreen(path: string, isPlain: boolean): FirstScreen | undefined {
  const asin = asinOf(path)
  return asin === undefined ? screens[path]?.(isPlain) : dealScreen(asin)
}

function dealScreen(asin: string): FirstScreen {
  const address = addressOf(contract.deals.getByAsin, asin)
  // As above; of a deal that isn't there nothing more is asked.
  const dealIn = (answers: Answers): Partial<Deal> => JSON.parse(answers.get(address) ?? '{}')
  return {
    source: 'src/app/deal.tsx',
    asks: [address],
    asksThen: (answers) => {
      const { id } = dealIn(answers)
      return id === undefined ? [] : Object.values(pricePathsOf(contract, id))
    },
    picture: (answers) => pictureOf(dealIn(answers)),
    title: (answers) => dealIn(answers).title,
  }
}
