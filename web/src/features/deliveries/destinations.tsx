import type { Destination, DestinationDescription } from '@dealdeck/contract/deliveries'
import { Button, Skeleton } from '@mantine/core'
import { IconArrowLeft, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { laterClient } from '../../platform/later-client.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { destinationsQuery, dropDestination, kindsQuery, pushKeyQuery, putDestination } from './api.ts'
import { DestinationCard } from './components/destination-card.tsx'
import { KindTiles } from './components/kind-tiles.tsx'
import { RemoveDestination } from './components/remove-destination.tsx'
import { RenewSecret } from './components/renew-secret.tsx'
import { DestinationEditor } from './destination-editor.tsx'
import { DestinationPage } from './destination-page.tsx'
import classes from './destinations.module.css'
import { useDestinations } from './live.ts'
import { PushConditions } from './push-conditions.tsx'
import { type Place, placeOf } from './view/place.ts'
import { forgetDevice, subscribeDevice } from './view/push.ts'
import { isOfDevice, ofGroup } from './view.ts'

type DestinationsProps = {
  isGroup: boolean
  /** What is looked at, as the address says it; undefined: the list. */
  at: string | undefined
  onGo: (at: string | undefined) => void
  /** What is sent to one of them. */
  about: (destination: Destination) => ReactNode
  /** Where whoever has set one up goes on. */
  next: { label: string; onNext: (destination: Destination) => void }
  /** Called for one that was just added. */
  onMade?: (destination: Destination) => void
  /** What came of its being added, in words. */
  said?: (destination: Destination) => string | undefined
}

const words = {
  own: {
    what: 'destination',
    none: 'Nowhere to send anything yet',
    lead: 'Where do you want to hear of deals? Choose one: it takes less than a minute, and a test shows that it works.',
  },
  group: {
    what: 'channel',
    none: 'No channels yet',
    lead: 'A channel is where the group hears of deals. Each has its own searches. Choose what yours is.',
  },
}

/** Where messages go: whether it works, adding, testing, changing. One's own, or the group's. */
export function Destinations(props: DestinationsProps) {
  const { isGroup, at, onGo, about, next, onMade, said } = props
  const queries = useQueryClient()
  const shop = useMarketplace()
  const now = useNow()
  const list = useDestinations()
  const kinds = useQuery(kindsQuery)
  const pushKey = useQuery({ ...pushKeyQuery, enabled: at === 'new-webpush' })
  const { say, ...toast } = useActionNote()
  const heading = useRef<HTMLHeadingElement>(null)
  const [busy, setBusy] = useState<readonly number[]>([])
  const [doomed, setDoomed] = useState<Destination>()
  const [made, setMade] = useState<{ id: number; secret: string | null }>()
  const { what, none, lead } = words[isGroup ? 'group' : 'own']

  const known = kinds.data
  if (list.data === undefined || known === undefined)
    return <Waiting what={what} error={list.error ?? kinds.error} retry={[list.refetch, kinds.refetch]} />
  const destinations = ofGroup(list.data.items, isGroup)
  const place = placeOf(at)
  const here = destinations.find(({ id }) => place.view === 'one' && id === place.id)
  const kindHere = known.find(({ kind }) => kind === (place.view === 'add' ? place.kind : here?.kind))

  async function pause(destination: Destination, is_paused: boolean) {
    const { id, name } = destination
    setBusy((others) => [...others, id])
    try {
      putDestination(queries, await laterClient.deliveries.change({ id, is_paused }))
      say({ text: is_paused ? `${name} is paused` : `${name} is resumed` })
    } catch (error) {
      say({ text: `${name} is as it was. ${errorMessage(error)}`, failed: true })
      void queries.invalidateQueries({ queryKey: destinationsQuery.queryKey })
    } finally {
      setBusy((others) => others.filter((other) => other !== id))
    }
  }

  function onRemoved(destination: Destination) {
    // What is removed late leaves another dialog alone that was opened meanwhile.
    setDoomed((now) => (now === destination ? undefined : now))
    dropDestination(queries, destination.id)
    void forgetDevice(destination.id)
    say({ text: `${destination.name} is removed` })
    if (place.view !== 'list') onGo(undefined)
    // What had the focus is gone; the dialog still stands now, and nothing behind it takes the focus.
    requestAnimationFrame(() => heading.current?.focus())
  }

  const tiles = <KindTiles kinds={offered(known, isGroup)} onChoose={(kind) => onGo(`new-${kind}`)} />
  return (
    <section className={classes.destinations} aria-label={isGroup ? 'Channels' : 'Destinations'}>
      {list.isRefetchError && <SourceLabel>Could not refresh. This may be out of date.</SourceLabel>}
      {place.view === 'list' && destinations.length === 0 && (
        <>
          <div>
            <h2 ref={heading} tabIndex={-1} className={classes.title}>
              {none}
            </h2>
            <p className={classes.lead}>{lead}</p>
          </div>
          {tiles}
        </>
      )}
      {place.view === 'list' && destinations.length > 0 && (
        <>
          <div className={classes.top}>
            <h2 ref={heading} tabIndex={-1} className={classes.title}>
              {isGroup ? 'Channels of the group' : 'Where you are told'}
            </h2>
            <Button
              className={classes.add}
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => onGo('new')}
            >
              Add {what}
            </Button>
          </div>
          <ul className={classes.list} aria-label={isGroup ? 'List of channels' : 'List of destinations'}>
            {destinations.map((destination) => (
              <DestinationCard
                key={destination.id}
                destination={destination}
                kind={known.find(({ kind }) => kind === destination.kind)?.label ?? destination.kind}
                shop={shop}
                now={now}
                about={about(destination)}
                isBusy={busy.includes(destination.id)}
                onOpen={() => onGo(String(destination.id))}
                onPause={(is_paused) => void pause(destination, is_paused)}
                onEdit={() => onGo(`${destination.id}-edit`)}
                onRemove={() => setDoomed(destination)}
              />
            ))}
          </ul>
        </>
      )}
      {place.view === 'add' && kindHere === undefined && (
        <Step title={`Add a ${what}`} back={`All ${what}s`} onBack={() => onGo(undefined)}>
          {tiles}
        </Step>
      )}
      {kindHere !== undefined && isEdited(place, here) && (
        <Step
          title={here ? `Edit ${here.name}` : kindHere.label}
          back={here ? `All ${what}s` : 'Another kind'}
          onBack={() => onGo(here ? undefined : 'new')}
        >
          <p className={classes.lead}>{kindHere.help}</p>
          {isOfDevice(kindHere.kind) && !here && <PushConditions />}
          <DestinationEditor
            key={here?.id ?? kindHere.kind}
            kind={kindHere}
            destination={here}
            isGroup={isGroup}
            taken={destinations.map(({ name }) => name)}
            device={isOfDevice(kindHere.kind) ? () => subscribeDevice(pushKey.data) : undefined}
            onSaved={(saved, secret, isShown) => {
              setMade({ id: saved.id, secret })
              if (here) say({ text: `${saved.name} is saved` })
              else onMade?.(saved)
              // Whoever has left the form looks at something else by now.
              if (isShown) onGo(here ? undefined : String(saved.id))
            }}
            onLateProblem={(text) => say({ text, failed: true })}
            onCancel={() => onGo(undefined)}
          />
          {here?.secrets.includes('signing') && <RenewSecret destination={here} />}
        </Step>
      )}
      {place.view === 'one' && !place.isEdited && here && (
        <Step title={here.name} back={`All ${what}s`} onBack={() => onGo(undefined)}>
          <DestinationPage
            destination={here}
            kind={kindHere}
            secret={made?.id === here.id ? made.secret : null}
            said={said?.(here)}
            next={{ label: next.label, onNext: () => next.onNext(here) }}
          />
        </Step>
      )}
      {place.view === 'one' && !here && (
        <Notice
          title={`This ${what} is not there`}
          action={<Button onClick={() => onGo(undefined)}>All {what}s</Button>}
        >
          It was removed, or the address is not right.
        </Notice>
      )}
      {doomed && (
        <RemoveDestination
          destination={doomed}
          onRemoved={() => onRemoved(doomed)}
          onLateProblem={(text) => say({ text, failed: true })}
          onClose={() => setDoomed(undefined)}
        />
      )}
      <ActionToast {...toast} />
    </section>
  )
}

const isEdited = (place: Place, here: Destination | undefined) =>
  place.view === 'add' || (place.view === 'one' && place.isEdited && here !== undefined)

/** A device is somebody's own. */
const offered = (kinds: readonly DestinationDescription[], isGroup: boolean) =>
  isGroup ? kinds.filter(({ kind }) => !isOfDevice(kind)) : kinds

type WaitingProps = { what: string; error: Error | null; retry: readonly (() => Promise<unknown>)[] }

function Waiting({ what, error, retry }: WaitingProps) {
  if (error === null)
    return (
      <div className={classes.waiting} role="status" aria-label={`Loading ${what}s`} aria-busy="true">
        <Skeleton height="9rem" radius="lg" />
        <Skeleton height="9rem" radius="lg" />
      </div>
    )
  return (
    <Notice
      failed
      title={`Your ${what}s can’t be loaded`}
      action={<Button onClick={() => void Promise.all(retry.map((ask) => ask()))}>Try Again</Button>}
    >
      {errorMessage(error)}
    </Notice>
  )
}

type StepProps = { title: string; back: string; onBack: () => void; children: ReactNode }

/** A view that one goes back from. */
function Step({ title, back, onBack, children }: StepProps) {
  return (
    <>
      <div>
        <Button
          variant="subtle"
          className={classes.back}
          leftSection={<IconArrowLeft size={16} aria-hidden />}
          onClick={onBack}
        >
          {back}
        </Button>
        <h2 className={classes.title} dir="auto">
          {title}
        </h2>
      </div>
      {children}
    </>
  )
}
