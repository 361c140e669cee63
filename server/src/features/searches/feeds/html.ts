import type { Deal } from '@dealdeck/contract/deals'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { encode } from 'html-entities'
import { money } from '../../../platform/money.ts'
import { numberText } from '../../../platform/numbers.ts'

type Links = { url: string; image: string | null; marketplace: Marketplace }

/** What a reader program shows of a deal: the picture, the price, what is known of it, and as of when. */
export function dealHtml(deal: Deal, { url, image, marketplace }: Links): string {
  const { price, original_price, discount_percentage, rating, review_count } = deal
  const reviews = review_count === null ? '' : ` (${numberText(marketplace)(review_count)})`
  const facts = [
    rating === null ? null : `★ ${rating}${reviews}`,
    deal.prime_eligible ? 'Prime' : null,
    deal.condition === null || deal.condition === 'new' ? null : deal.condition,
    deal.availability,
    deal.brand,
    deal.category,
  ].filter((fact) => fact !== null)
  const former =
    original_price === null || discount_percentage === null
      ? ''
      : ` <s>${encode(money(original_price, marketplace))}</s> ${discount_percentage} % off`
  const picture =
    image === null
      ? ''
      : `<p><a href="${encode(url)}"><img src="${encode(image)}" alt="" width="240"></a></p>`
  return [
    picture,
    `<p><strong>${encode(money(price, marketplace))}</strong>${former}</p>`,
    `<p>${facts.map((fact) => encode(fact)).join(' · ')}</p>`,
    `<p>Price seen ${deal.observed_at.slice(0, 16).replace('T', ' ')} UTC${endsAt(deal)}</p>`,
  ].join('')
}

const endsAt = ({ ends_at }: Deal) =>
  ends_at === null ? '' : `, ends ${ends_at.slice(0, 16).replace('T', ' ')} UTC`
