import { getRouteApi } from '@tanstack/react-router'
import { DealScreen } from '../features/deals/deal-screen.tsx'
import { PriceHistory } from '../features/prices/price-history.tsx'
import { latePart } from '../ui/late-part.tsx'
import { NothingHere } from './not-found-screen.tsx'

const TargetOfDeal = latePart(
  async () => (await import('./deal-alerts.tsx')).TargetOfDeal,
  'The price you wait for',
)
const WhyOfDeal = latePart(
  async () => (await import('./deal-alerts.tsx')).WhyOfDeal,
  'Why you were told, or not,',
)

const route = getRouteApi('/deals/$asin')

/** A deal's own page with what is known of its prices. */
export function Deal() {
  const asin = route.useParams().asin.toUpperCase()
  return (
    <DealScreen
      // Another deal begins anew.
      key={asin}
      asin={asin}
      missing={
        <NothingHere>
          No deal {asin} is known here, or it is no longer available. Please check the address, or go on from
          here.
        </NothingHere>
      }
      history={(id) => <PriceHistory dealId={id} />}
      target={(deal) => <TargetOfDeal deal={deal} />}
      why={(id) => <WhyOfDeal dealId={id} />}
    />
  )
}
