import type { Alert, AlertInput } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import { useAlertChanges, verdictQuery } from '../api.ts'
import { defaultDestination, lastError, parseAmount, suggestTargets, usable } from '../view.ts'
import classes from './target-dialog.module.css'

type TargetDialogProps = {
  deal: { id: number; title: string; price: number }
  alerts: readonly Alert[]
  destinations: readonly Destination[]
  /** The target price that the deal has. */
  target: Alert | undefined
  onSaved: (saved: Alert) => void
  onRemoved: (removed: Alert) => void
  /** Called with what went wrong after the dialog was closed. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

/** At which price somebody wants to be told of a deal: one that its prices suggest, or one that is typed. */
export function TargetDialog(props: TargetDialogProps) {
  const { deal, alerts, destinations, target, onSaved, onRemoved, onLateProblem, onClose } = props
  const { money, currency, decimals } = useMarketplace()
  const { add, change, remove } = useAlertChanges()
  const isShown = useIsShown()
  const verdict = useQuery(verdictQuery(deal.id))
  const suggestions = suggestTargets(deal.price, verdict.data?.figures)
  const [typed, setTyped] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const places = usable(destinations)
  const [place, setPlace] = useState(target?.destination_id ?? defaultDestination(destinations, alerts)?.id)
  const first = target?.target_price ?? suggestions[0]?.amount
  const text = typed ?? first?.toFixed(decimals) ?? ''
  const error = lastError([add, change, remove])

  /** The dialog may be closed before there is an answer, which counts all the same. */
  function follow<T>(work: Promise<T>, done: (result: T) => void) {
    work.then(done, (refused) => {
      if (!isShown()) onLateProblem(`Nothing changed. ${errorMessage(refused)}`)
    })
  }

  async function move(input: AlertInput) {
    const saved = await add.mutateAsync(input)
    if (target)
      remove.mutateAsync(target).catch((refused) => {
        onLateProblem(`You are still told where you were before. ${errorMessage(refused)}`)
      })
    return saved
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const amount = parseAmount(text)
    if (!amount) return setProblem('Type an amount such as 12.50')
    if (amount >= deal.price) return setProblem(`It costs ${money(deal.price)} now. Type less than that.`)
    if (place === undefined) return
    const wanted = { deal_id: deal.id, target_price: amount, options: {}, send_matching: false }
    if (target && target.destination_id === place)
      follow(change.mutateAsync({ id: target.id, target_price: amount }), onSaved)
    else follow(move({ destination_id: place, ...wanted }), onSaved)
  }

  return (
    <Dialog title={target ? 'The price you wait for' : 'Tell me at a price'} onClose={onClose}>
      <form className={classes.form} noValidate onSubmit={submit}>
        <p className={classes.deal} dir="auto">
          {deal.title}
        </p>
        <TextInput
          label="Tell me at"
          description={`At this price or less. It costs ${money(deal.price)} now.`}
          inputMode="decimal"
          autoComplete="off"
          size="md"
          maxLength={11}
          data-autofocus
          rightSection={currency}
          rightSectionWidth="3.5rem"
          rightSectionPointerEvents="none"
          value={text}
          error={problem}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <fieldset className={classes.suggestions} aria-busy={verdict.isPending}>
          <legend className={classes.legend}>Suggestions</legend>
          {suggestions.map(({ amount, label }) => (
            <button
              key={label}
              type="button"
              className={classes.suggestion}
              aria-pressed={parseAmount(text) === amount}
              onClick={() => {
                setTyped(amount.toFixed(decimals))
                setProblem(undefined)
              }}
            >
              <span className={classes.amount}>{money(amount)}</span> {label}
            </button>
          ))}
        </fieldset>
        {places.length > 1 && (
          <NativeSelect
            label="Where"
            size="md"
            value={String(place ?? '')}
            data={places.map(({ id, name }) => ({ value: String(id), label: name }))}
            onChange={(event) => setPlace(Number(event.currentTarget.value))}
          />
        )}
        <p role="alert" className={classes.problem}>
          {error && errorMessage(error)}
        </p>
        <Group justify="flex-end" gap="xs" className={classes.actions}>
          {target ? (
            <Button
              variant="default"
              loading={remove.isPending}
              onClick={() => follow(remove.mutateAsync(target), () => onRemoved(target))}
            >
              Remove
            </Button>
          ) : (
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={add.isPending || change.isPending}>
            Tell me
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
