import type { Deal } from '@dealdeck/contract/deals'
import { DealTarget } from '../features/alerts/target-price.tsx'
import { WhyDeal } from '../features/alerts/why-deal.tsx'
import { useDestinations } from '../features/deliveries/live.ts'
import { useSearches } from '../features/searches/live.ts'
import { useAddDestination } from './where-to-add.ts'

/** The price that a deal's reader waits for, on its own page. */
export function TargetOfDeal({ deal }: { deal: Deal }) {
  const { data } = useDestinations()
  const onAdd = useAddDestination()
  return <DealTarget deal={deal} destinations={data?.items} onAdd={() => onAdd({ deal: deal.id })} />
}

/** Why a deal's reader was told of it, or wasn't. */
export function WhyOfDeal({ dealId }: { dealId: number }) {
  const { searches } = useSearches()
  return <WhyDeal dealId={dealId} searches={searches} />
}
