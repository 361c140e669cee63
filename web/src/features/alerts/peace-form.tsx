import type { Peace } from '@dealdeck/contract/alerts'
import { Button, NativeSelect, Skeleton, Switch, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { deviceZone } from '../../platform/device-zone.ts'
import { laterClient } from '../../platform/later-client.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { Notice } from '../../ui/notice.tsx'
import { putPeace } from './api.ts'
import { PauseAll } from './components/pause-all.tsx'
import { usePeace } from './live.ts'
import classes from './peace-form.module.css'
import { changeOf, draftOf, type PeaceDraft, problemsOf, weekdays, zonesWith } from './view/peace-draft.ts'

/** Tells the zone in which a member's clock goes. */
export const savePeace = (time_zone: string): Promise<Peace> =>
  laterClient.alerts.changePeace({ time_zone, is_group: false })

/** When nothing is to be sent, and how much at most. One's own, or the group's. */
export function PeaceForm({ isGroup }: { isGroup: boolean }) {
  const peace = usePeace(isGroup, savePeace)
  if (peace.data) return <Form peace={peace.data} isGroup={isGroup} />
  return peace.isError ? (
    <Notice
      failed
      title="Quiet hours can’t be loaded"
      action={
        <Button loading={peace.isFetching} onClick={() => void peace.refetch()}>
          Try Again
        </Button>
      }
    >
      {errorMessage(peace.error)}
    </Notice>
  ) : (
    <div role="status" aria-label="Loading quiet hours" aria-busy="true">
      <Skeleton height="16rem" radius="lg" />
    </div>
  )
}

function Form({ peace, isGroup }: { peace: Peace; isGroup: boolean }) {
  const queries = useQueryClient()
  const shop = useMarketplace()
  const now = useNow()
  const here = deviceZone()
  const [edited, setEdited] = useState<Partial<PeaceDraft>>({})
  const draft = { ...draftOf(peace, isGroup), ...edited }
  const [problems, setProblems] = useState<Partial<Record<keyof PeaceDraft, string>>>({})
  const [isSaved, setSaved] = useState(false)
  const changing = {
    // One after the other: each answer is all of it, and the later one is to stay.
    scope: { id: 'peace' },
    mutationFn: (change: Partial<Peace>) => laterClient.alerts.changePeace({ ...change, is_group: isGroup }),
    onSuccess: (saved: Peace) => putPeace(queries, isGroup, saved),
  }
  const save = useMutation(changing)
  const pause = useMutation(changing)
  const set = (part: Partial<PeaceDraft>) => {
    setEdited({ ...edited, ...part })
    setProblems({})
    setSaved(false)
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    const found = problemsOf(draft)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    save.mutate(changeOf(draft, peace, here), {
      onSuccess: () => {
        // What was typed meanwhile stays.
        setEdited((now) => (now === edited ? {} : now))
        setSaved(true)
      },
    })
  }
  const zone = draft.follows_device ? here : draft.time_zone
  const time = (name: 'quiet_from' | 'quiet_to' | 'digest_at', label: string) => (
    <TextInput
      type="time"
      size="md"
      label={label}
      value={draft[name]}
      error={problems[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  const count = (name: 'most_an_hour' | 'most_at_once', label: string, description: string) => (
    <TextInput
      inputMode="numeric"
      size="md"
      autoComplete="off"
      label={label}
      description={description}
      value={draft[name]}
      error={problems[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <div className={classes.peace}>
      <PauseAll
        until={peace.paused_until}
        isBusy={pause.isPending}
        problem={pause.isError ? `Nothing changed. ${errorMessage(pause.error)}` : undefined}
        now={now}
        exactTime={shop.exactTime}
        onPause={(paused_until) => pause.mutate({ paused_until })}
      />
      <form className={classes.form} noValidate onSubmit={submit}>
        <Switch
          label="Quiet hours"
          description="Nothing comes then but what is urgent. What was found meanwhile comes as one list when they end."
          checked={draft.isQuiet}
          onChange={(event) => set({ isQuiet: event.currentTarget.checked })}
        />
        {draft.isQuiet && (
          <div className={classes.pair}>
            {time('quiet_from', 'From')}
            {time('quiet_to', 'To')}
          </div>
        )}
        {!isGroup && (
          <Switch
            label={`Follow this device (${here.replaceAll('_', ' ')})`}
            description="Where you travel, quiet hours travel along."
            checked={draft.follows_device}
            onChange={(event) => set({ follows_device: event.currentTarget.checked, time_zone: zone })}
          />
        )}
        {(isGroup || !draft.follows_device) && (
          <NativeSelect
            label="Time zone"
            size="md"
            value={draft.time_zone}
            data={zonesWith(draft.time_zone, here)}
            onChange={(event) => set({ time_zone: event.currentTarget.value })}
          />
        )}
        <p className={classes.hint}>
          Times are those of the clock in {zone.replaceAll('_', ' ')}, also when it is changed in spring and
          autumn.
        </p>
        <div className={classes.counts}>
          {count(
            'most_an_hour',
            'Messages an hour',
            `To each ${isGroup ? 'channel' : 'destination'}. More than these become one list.`,
          )}
          {count('most_at_once', 'Of one search at once', 'More within a minute become one list.')}
        </div>
        <fieldset className={classes.group}>
          <legend className={classes.legend}>Lists of a day or a week, by e-mail</legend>
          <div className={classes.pair}>
            {time('digest_at', 'They come at')}
            <NativeSelect
              label="Each week on"
              size="md"
              value={draft.digest_weekday}
              data={weekdays(shop.locale)}
              onChange={(event) => set({ digest_weekday: event.currentTarget.value })}
            />
          </div>
        </fieldset>
        <div className={classes.actions}>
          <Button type="submit" loading={save.isPending} className={classes.save}>
            Save
          </Button>
          <p role="status" className={classes.said} data-failed={save.isError || undefined}>
            {save.isError ? `Not saved. ${errorMessage(save.error)}` : isSaved && 'Saved'}
          </p>
        </div>
      </form>
    </div>
  )
}
