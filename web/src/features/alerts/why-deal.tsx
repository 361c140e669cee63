import type { SavedSearch } from '@dealdeck/contract/searches'
import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { whyQuery } from './api.ts'
import { WhyAnswer } from './components/why-answer.tsx'
import { useAlerts } from './live.ts'
import { targetOf } from './view.ts'
import classes from './why-deal.module.css'

type WhyDealProps = { dealId: number; searches: readonly SavedSearch[] | undefined }

/** Why its reader was told of a deal, or wasn't, by one of their searches or the price they wait for. */
export function WhyDeal({ dealId, searches }: WhyDealProps) {
  const shop = useMarketplace()
  const now = useNow()
  const id = useId()
  const alerts = useAlerts()
  const [chosen, setChosen] = useState('')
  const target = alerts.data && targetOf(alerts.data.items, dealId)
  const choices = [
    ...(target?.target_price
      ? [{ value: `alert-${target.id}`, label: `My price, ${shop.money(target.target_price)}` }]
      : []),
    ...(searches ?? []).map((search) => ({ value: `search-${search.id}`, label: search.name })),
  ]
  const [what, number] = chosen.split('-')
  const why = useQuery({
    ...whyQuery({
      deal: dealId,
      ...(what === 'alert' ? { alert: Number(number) } : { search: Number(number) }),
    }),
    enabled: chosen !== '',
  })
  if (choices.length === 0) return null
  const name = choices.find(({ value }) => value === chosen)?.label ?? ''
  return (
    <section className={classes.why} aria-labelledby={id}>
      <h2 id={id} className={classes.heading}>
        Why was I told, or not?
      </h2>
      <NativeSelect
        className={classes.choice}
        label="By which of my searches"
        value={chosen}
        data={[{ value: '', label: 'Choose a search' }, ...choices]}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <div role="status" aria-busy={why.isFetching} className={classes.answer}>
        {chosen !== '' &&
          (why.data ? (
            <WhyAnswer why={why.data} name={name} shop={shop} now={now} />
          ) : (
            why.isError && (
              <>
                <p className={classes.text}>{errorMessage(why.error)}</p>
                <Button variant="default" loading={why.isFetching} onClick={() => void why.refetch()}>
                  Try Again
                </Button>
              </>
            )
          ))}
      </div>
    </section>
  )
}
