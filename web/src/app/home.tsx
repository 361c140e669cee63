import { NewestDeals, useNewestDeals } from '../features/deals/newest-deals.tsx'
import { HomeScreen } from '../features/home/home-screen.tsx'
import { SavedSearches } from './saved-searches.tsx'

/** Home with the deals and saved searches it shows. */
export function Home() {
  const newest = useNewestDeals()
  return (
    <HomeScreen
      dealsTracked={newest.total}
      stream={newest.stream}
      searches={<SavedSearches />}
      newest={<NewestDeals newest={newest.newest} />}
    />
  )
}
