import { NewestDeals, useNewestDeals } from '../features/deals/newest-deals.tsx'
import { HomeScreen } from '../features/home/home-screen.tsx'

/** Home with the deals it shows. */
export function Home() {
  const newest = useNewestDeals()
  return (
    <HomeScreen
      dealsTracked={newest.total}
      stream={newest.stream}
      newest={<NewestDeals newest={newest.newest} />}
    />
  )
}
