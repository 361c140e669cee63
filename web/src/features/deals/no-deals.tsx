import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { laterApi } from '../../platform/later-client.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useSession } from '../../platform/session.ts'
import { Notice } from '../../ui/notice.tsx'
import { noDealsWords } from './view/no-deals.ts'

/** Stands where deals would be while nobody sees any: why, and what can be done. */
export function NoDeals() {
  const { number } = useMarketplace()
  const isAdmin = useSession().role === 'admin'
  const stored = useQuery({
    ...laterApi.admin.unavailableDeals.queryOptions({ refetchInterval: 30_000 }),
    enabled: isAdmin,
  })
  if (isAdmin && stored.isPending) return null
  const { title, text } = noDealsWords(stored.data?.count, number)
  return (
    <Notice
      title={title}
      action={
        isAdmin && (
          <Button component={Link} to="/import">
            Import deals
          </Button>
        )
      }
    >
      {text}
    </Notice>
  )
}
