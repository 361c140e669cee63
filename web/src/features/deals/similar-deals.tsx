import type { Deal } from '@dealdeck/contract/deals'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useRef } from 'react'
import { client } from '../../platform/client.ts'
import type { Marketplace } from '../../platform/money.ts'
import { FullText } from '../../ui/full-text.tsx'
import { DealSlide } from './deal-slide.tsx'
import classes from './similar-deals.module.css'
import { mostLookedAt, rankSimilar, similarQuestion } from './view/similar.ts'

type SimilarDealsProps = { deal: Deal; shop: Marketplace; now: number }

/** A few deals with the same words, brand or category; where there are none there is nothing. */
export function SimilarDeals({ deal, shop, now }: SimilarDealsProps) {
  const q = similarQuestion(deal)
  const { data } = useQuery({
    queryKey: ['deals', 'similar', q],
    queryFn: async ({ signal }) => (await client.deals.list({ q, limit: mostLookedAt }, { signal })).items,
    enabled: q !== '',
  })
  // Drawn when there is time for it: its reader is at the deal itself.
  const found = useDeferredValue(data)
  const similar = useMemo(() => rankSimilar(deal, found ?? []), [deal, found])
  const list = useRef<HTMLUListElement>(null)
  if (similar.length === 0) return null
  return (
    <section className={classes.section} aria-labelledby="similar">
      <h2 id="similar" className={classes.heading}>
        Similar deals
      </h2>
      <ul ref={list} className={classes.list}>
        {similar.map((one) => (
          <li key={one.id}>
            <DealSlide deal={one} shop={shop} now={now} was={undefined} />
          </li>
        ))}
      </ul>
      <FullText list={list} />
    </section>
  )
}
