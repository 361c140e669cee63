import type { Deal } from '@dealdeck/contract/deals'
import type { Destination } from '@dealdeck/contract/deliveries'
import { Button } from '@mantine/core'
import { IconBell, IconBellFilled } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { inputOf, useAlertChanges } from './api.ts'
import { TargetDialog } from './components/target-dialog.tsx'
import { useAlerts, useKeptZone } from './live.ts'
import classes from './target-price.module.css'
import { defaultDestination, proposedTarget, targetOf } from './view.ts'

/** What a list of deals shows of target prices, and how it asks for one. */
export type TargetPrices = {
  /** By the ids of their deals. */
  prices: ReadonlyMap<number, number>
  /** Waits for a price that is proposed; of a deal that has one, opens it for changing. */
  ask: (deal: Deal) => void
}

type TargetPriceProps = {
  destinations: readonly Destination[] | undefined
  /** Leads to adding a destination, where there is none. */
  onAdd: (deal: Deal) => void
}

/** Sets a target price of whichever deal is asked for at one press, and says so; the dialog changes it. */
function useTargetPrice({ destinations, onAdd }: TargetPriceProps) {
  const alerts = useAlerts()
  const { money, decimals } = useMarketplace()
  const { add, remove } = useAlertChanges()
  const { say, ...toast } = useActionNote()
  const [asked, setAsked] = useState<Deal>()
  const beingSet = useRef(new Set<number>())
  const items = alerts.data?.items
  const isKnown = items !== undefined && destinations !== undefined
  const target = asked && targetOf(items ?? [], asked.id)
  const nameOf = (id: number) => destinations?.find((one) => one.id === id)?.name ?? 'a destination'

  async function setProposed(deal: Deal, place: Destination) {
    const amount = proposedTarget(deal.price, decimals)
    if (beingSet.current.has(deal.id)) return
    if (amount === undefined)
      return say({ text: `It costs ${money(deal.price)}: there is no less to wait for.`, failed: true })
    beingSet.current.add(deal.id)
    const pressed = document.activeElement
    try {
      const saved = await add.mutateAsync({
        ...{ destination_id: place.id, deal_id: deal.id, target_price: amount },
        ...{ options: {}, send_matching: false },
      })
      say({
        text: `You are told at ${money(amount)} or less: ${place.name}.`,
        more: {
          label: 'Change',
          run: () => {
            // The note goes; what was pressed before it has the focus once the dialog closes.
            if (pressed instanceof HTMLElement) pressed.focus({ preventScroll: true })
            setAsked(deal)
          },
        },
        undo: () => remove.mutate(saved, { onError: (error) => fail('You are still told.', error) }),
      })
    } catch (error) {
      fail('You are not told.', error)
    } finally {
      beingSet.current.delete(deal.id)
    }
  }

  /** What is answered late leaves another dialog alone that was opened meanwhile. */
  const close = () => setAsked((now) => (now === asked ? undefined : now))
  const fail = (what: string, error: unknown) => say({ text: `${what} ${errorMessage(error)}`, failed: true })

  return {
    items,
    isKnown,
    ask: (deal: Deal) => {
      if (!isKnown) return
      const place = defaultDestination(destinations, items)
      if (place === undefined) onAdd(deal)
      else if (targetOf(items, deal.id)) setAsked(deal)
      else void setProposed(deal, place)
    },
    part: (
      <>
        {asked && isKnown && (
          <TargetDialog
            deal={asked}
            alerts={items}
            destinations={destinations}
            target={target}
            onSaved={(saved) => {
              close()
              const price = money(saved.target_price ?? 0)
              say({
                text: `You are told at ${price} or less: ${nameOf(saved.destination_id)}.`,
                ...(!target && {
                  undo: () =>
                    remove.mutate(saved, { onError: (error) => fail('You are still told.', error) }),
                }),
              })
            }}
            onRemoved={(removed) => {
              close()
              say({
                text: 'The price you waited for is removed.',
                undo: () =>
                  add.mutate(inputOf(removed), { onError: (error) => fail('Not brought back.', error) }),
              })
            }}
            onLateProblem={(text) => say({ text, failed: true })}
            onClose={() => setAsked(undefined)}
          />
        )}
        <ActionToast {...toast} />
      </>
    ),
  }
}

/** Has a list of deals know of target prices, and asks for them over it. It is where most look, so that it tells their zone. */
export function ListTargets(props: TargetPriceProps & { onTargets: (targets: TargetPrices) => void }) {
  const { onTargets } = props
  useKeptZone()
  const { items, isKnown, ask, part } = useTargetPrice(props)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what `ask` does is the same for the same answers
  useEffect(() => {
    if (!isKnown || !items) return
    const prices = items.flatMap(({ deal_id, target_price, is_group }): [number, number][] =>
      deal_id === null || target_price === null || is_group ? [] : [[deal_id, target_price]],
    )
    onTargets({ prices: new Map(prices), ask })
  }, [onTargets, items, isKnown, props.destinations])
  return part
}

/** The button of a deal's own page. */
export function DealTarget({ deal, ...props }: TargetPriceProps & { deal: Deal }) {
  const { money } = useMarketplace()
  const { items, isKnown, ask, part } = useTargetPrice(props)
  const target = items && targetOf(items, deal.id)
  const price = target?.target_price ? money(target.target_price) : undefined
  const Icon = target ? IconBellFilled : IconBell
  return (
    <>
      <Button
        variant="default"
        size="md"
        disabled={!isKnown}
        className={classes.button}
        aria-label={price === undefined ? 'Tell me at a price' : `Tell me at ${price}`}
        onClick={() => ask(deal)}
      >
        <Icon size={18} aria-hidden />
        <span className={classes.long}>Tell me at {price ?? 'a price'}</span>
        <span className={classes.short}>{price ?? 'Tell me'}</span>
      </Button>
      {part}
    </>
  )
}
