import type { Deal } from '@dealdeck/contract/deals'
import { Button } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { errorMessage } from '../../platform/api-error.ts'
import type { Marketplace } from '../../platform/money.ts'
import classes from './deal-hiding.module.css'
import { dealHidingQuery, hideDeal } from './view/deal-page.ts'

/** Hides a deal from all members, or shows it again. For administrators. */
export function DealHiding({ deal, shop }: { deal: Deal; shop: Marketplace }) {
  const queries = useQueryClient()
  const query = dealHidingQuery(deal)
  const { data } = useQuery(query)
  const hide = useMutation({
    mutationFn: (isHidden: boolean) => hideDeal(deal.id, isHidden),
    onSuccess: (state) => queries.setQueryData(query.queryKey, state),
  })
  const since = data?.hidden_at
  return (
    <div className={classes.hiding}>
      <Button
        variant="default"
        leftSection={since ? <IconEye size={18} aria-hidden /> : <IconEyeOff size={18} aria-hidden />}
        disabled={data === undefined}
        loading={hide.isPending}
        onClick={() => hide.mutate(!since)}
      >
        {since ? 'Show to members again' : 'Hide from members'}
      </Button>
      <p role="status" className={classes.state}>
        {since && `Hidden from members since ${shop.exactTime(since)}. Imports leave it hidden.`}
      </p>
      <p role="alert" className={classes.problem}>
        {hide.isError && errorMessage(hide.error)}
      </p>
    </div>
  )
}
