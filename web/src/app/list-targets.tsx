import { type TargetPrices, ListTargets as Targets } from '../features/alerts/target-price.tsx'
import { useDestinations } from '../features/deliveries/live.ts'
import { useKeptPush } from './kept-push.ts'
import { useAddDestination } from './where-to-add.ts'

/** Has a list of deals know of the prices that its reader waits for. */
export function ListTargets({ onTargets }: { onTargets: (targets: TargetPrices) => void }) {
  const { data } = useDestinations()
  const onAdd = useAddDestination()
  useKeptPush()
  return (
    <Targets destinations={data?.items} onAdd={(deal) => onAdd({ deal: deal.id })} onTargets={onTargets} />
  )
}
