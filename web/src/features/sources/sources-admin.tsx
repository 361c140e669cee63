import type { ImportPreview } from '@dealdeck/contract/ingest'
import type { Source } from '@dealdeck/contract/sources'
import { Button, Skeleton } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { laterClient } from '../../platform/later-client.ts'
import { useMarketplace } from '../../platform/money.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { dropSource, kindsQuery, putSource, refetchSources } from './api.ts'
import { KindChoice } from './components/kind-choice.tsx'
import { RemoveDialog } from './components/remove-dialog.tsx'
import { useSources } from './live.ts'
import { SourceEditor } from './source-editor.tsx'
import { SourceList } from './source-list.tsx'
import { SourcePage } from './source-page.tsx'
import classes from './sources-admin.module.css'
import { placeOf } from './view.ts'

const route = getRouteApi('/admin-dashboard')

type SourcesAdminProps = {
  /** The rows of a preview, as the import shows them. */
  preview: (preview: ImportPreview) => ReactNode
  /** What an import has refused; `name` is what a file of it is called after. */
  rejects: (importId: number, name: string) => ReactNode
}

/** What deals are read from: whether it runs, adding, changing, trying. The dashboard's Sources. */
export function SourcesAdmin({ preview, rejects }: SourcesAdminProps) {
  const queries = useQueryClient()
  const { number } = useMarketplace()
  const { source: asked } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useSources()
  const kinds = useQuery(kindsQuery)
  const { say, ...toast } = useActionNote()
  const heading = useRef<HTMLHeadingElement>(null)
  const [busy, setBusy] = useState<readonly number[]>([])
  const [doomed, setDoomed] = useState<Source>()

  const sources = list.data?.items
  const place = placeOf(asked)
  const here = useKept(
    place.view === 'source' ? place.id : undefined,
    sources?.find(({ id }) => place.view === 'source' && id === place.id),
  )
  const isGone = here !== undefined && sources !== undefined && !sources.some(({ id }) => id === here.id)
  const go = (source?: string) =>
    void navigate({ search: { tab: 'sources', ...(source && { source }) }, resetScroll: false })

  async function apply(source: Source, what: string, change: () => Promise<Source>, done: string) {
    setBusy((now) => [...now, source.id])
    try {
      putSource(queries, await change())
      say({ text: `${source.name} ${done}` })
    } catch (error) {
      say({ text: `${source.name} could not be ${what}. ${errorMessage(error)}`, failed: true })
      void refetchSources(queries)
    } finally {
      setBusy((now) => now.filter((id) => id !== source.id))
    }
  }

  const actionsOf = (source: Source) => ({
    isBusy: busy.includes(source.id),
    onRun: () =>
      void apply(
        source,
        'run',
        () => laterClient.sources.run({ id: source.id }),
        'is asked as soon as possible',
      ),
    onPause: (is_paused: boolean) =>
      void apply(
        source,
        is_paused ? 'paused' : 'resumed',
        () => laterClient.sources.change({ id: source.id, is_paused }),
        is_paused ? 'is paused' : 'is resumed',
      ),
    onEdit: () => go(`${source.id}-edit`),
    onRemove: () => setDoomed(source),
  })

  function onRemoved(source: Source) {
    setDoomed(undefined)
    dropSource(queries, source.id)
    say({ text: `${source.name} is removed. Its deals stay.` })
    if (place.view !== 'list') go()
    // What had the focus is gone; the dialog still stands now, and nothing behind it takes the focus.
    requestAnimationFrame(() => heading.current?.focus())
  }

  const error = list.error ?? kinds.error
  const known = kinds.data
  const kindHere = known?.find(({ kind }) =>
    place.view === 'add' ? kind === place.kind : kind === here?.kind,
  )
  if (sources === undefined || known === undefined)
    return error ? (
      <Notice
        failed
        title="The sources can’t be loaded"
        action={
          <Button
            loading={list.isFetching || kinds.isFetching}
            onClick={() => void Promise.all([list.refetch(), kinds.refetch()])}
          >
            Try Again
          </Button>
        }
      >
        {errorMessage(error)}
      </Notice>
    ) : (
      <div aria-busy="true" role="status" aria-label="Loading sources" className={classes.waiting}>
        {[0, 1, 2, 3].map((at) => (
          <Skeleton key={at} height="5rem" radius="lg" />
        ))}
      </div>
    )

  return (
    <section className={classes.sources} aria-label="Sources">
      {list.isRefetchError && <SourceLabel>Could not refresh. This may be out of date.</SourceLabel>}
      {place.view === 'list' ? (
        <SourceList
          sources={sources}
          kinds={known}
          heading={heading}
          onAdd={() => go('new')}
          actionsOf={actionsOf}
        />
      ) : place.view === 'add' && kindHere === undefined ? (
        <Step title="Add a source" onBack={() => go()}>
          <p className={classes.lead}>What are the deals to be read from?</p>
          <KindChoice kinds={known} />
        </Step>
      ) : kindHere !== undefined && (place.view === 'add' || (here && place.isEdited)) ? (
        <Step
          title={here ? `Edit ${here.name}` : 'Add a source'}
          onBack={() => go(here && String(here.id))}
          back={here && 'Back to the source'}
        >
          <div className={classes.card}>
            <SourceEditor
              // Another source begins anew; the same one keeps what is typed.
              key={here?.id ?? 'new'}
              kinds={known}
              kind={kindHere}
              source={here}
              taken={sources.filter(({ id }) => id !== here?.id).map(({ name }) => name)}
              preview={preview}
              onSaved={(saved) => {
                say({ text: `${saved.name} is ${saved.id === here?.id ? 'saved' : 'added'}` })
                go(String(saved.id))
              }}
              onCancel={() => go(here && String(here.id))}
            />
          </div>
        </Step>
      ) : here === undefined || isGone ? (
        <Notice title="This source is not there" action={<Button onClick={() => go()}>All sources</Button>}>
          It was removed, or the address is not right.
        </Notice>
      ) : (
        <Step title={here.name} onBack={() => go()}>
          <SourcePage
            source={here}
            kind={kindHere?.label ?? here.kind}
            rejects={(importId) => rejects(importId, here.name)}
            {...actionsOf(here)}
          />
        </Step>
      )}
      {doomed && (
        <RemoveDialog
          source={doomed}
          number={number}
          onRemoved={() => onRemoved(doomed)}
          onClose={() => setDoomed(undefined)}
        />
      )}
      <ActionToast {...toast} />
    </section>
  )
}

type StepProps = { title: string; back?: string | undefined; onBack: () => void; children: ReactNode }

/** A view that one goes back from. */
function Step({ title, back = 'All sources', onBack, children }: StepProps) {
  return (
    <>
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          className={classes.back}
          leftSection={<IconArrowLeft size={16} aria-hidden />}
          onClick={onBack}
        >
          {back}
        </Button>
        <h2 className={classes.title}>{title}</h2>
      </div>
      {children}
    </>
  )
}

/** What was last found of this id, also when it is gone: what somebody types of it must not go with it. */
function useKept(id: number | undefined, found: Source | undefined): Source | undefined {
  const kept = useRef<Source>(undefined)
  if (found) kept.current = found
  return found ?? (kept.current?.id === id ? kept.current : undefined)
}
