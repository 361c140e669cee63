import type { ImportPreview } from '@dealdeck/contract/ingest'
import type { KindDescription, Source } from '@dealdeck/contract/sources'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { laterApi, laterClient } from '../../platform/later-client.ts'
import { useMarketplace } from '../../platform/money.ts'
import { type Problems, settingsOf, typedSecrets } from '../../ui/typed-settings.ts'
import { dropSource, putSource, sourcesQuery } from './api.ts'
import { SourceForm } from './components/source-form.tsx'
import { TryResult } from './components/try-result.tsx'
import classes from './source-editor.module.css'
import { changeOf, type Draft, draftOf, inputOf, isSame, nameFor, withKind } from './view/draft.ts'
import { type Refusal, refusalOf } from './view/refusals.ts'
import { withLocalTimes } from './view.ts'

type SourceEditorProps = {
  kinds: readonly KindDescription[]
  /** The kind it begins with. */
  kind: KindDescription
  /** Undefined for a new one. */
  source: Source | undefined
  /** Names that other sources have. */
  taken: readonly string[]
  preview: (preview: ImportPreview) => ReactNode
  onSaved: (source: Source) => void
  onCancel: () => void
}

/** The form of a source, which can be tried before it is saved. What is typed stays, whatever happens behind it. */
export function SourceEditor(props: SourceEditorProps) {
  const { kinds, kind: firstKind, source, taken, preview, onSaved, onCancel } = props
  const { number, locale } = useMarketplace()
  const queries = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const result = useRef<HTMLElement>(null)
  /** What the form began with; what others change meanwhile is seen when it is saved. */
  const [before, setBefore] = useState(source)
  const [first] = useState(() => draftOf(firstKind, source))
  const [draft, setDraft] = useState(first)
  const [problems, setProblems] = useState<Problems>({})
  const [refusal, setRefusal] = useState<Refusal>()
  /** What was tried last: kind, settings and secrets as one text. */
  const [tried, setTried] = useState('')
  const isLeaving = useRef(false)

  const kind = kinds.find((known) => known.kind === draft.kind) ?? firstKind
  const proposed = nameFor(draft, kind, taken)
  const named: Draft = draft.isNamed ? draft : { ...draft, name: proposed }
  const { settings, problems: own } = settingsOf(kind.fields, draft, before?.secrets)
  const asked = JSON.stringify([draft.kind, settings, draft.secrets])
  const isTyped = !isSame(draft, first)

  const trial = useMutation(laterApi.sources.try.mutationOptions({ gcTime: 0 }))
  const save = useMutation({
    mutationFn: (based: Source | undefined) => store(based, named, kind, settings),
    gcTime: 0,
  })
  const isGood = trial.data?.problem === null && tried === asked
  const triesFirst = before === undefined && !isGood

  useBlocker({
    disabled: !isTyped,
    enableBeforeUnload: () => isTyped && !isLeaving.current,
    shouldBlockFn: () => !isLeaving.current && !window.confirm('Leave without saving what you typed?'),
  })
  const tries = trial.isSuccess ? trial.submittedAt : 0
  useEffect(() => {
    // On a phone it is below the fields.
    if (tries > 0) result.current?.scrollIntoView({ block: 'nearest' })
  }, [tries])

  /** Takes what was typed into a field, about which nothing is wrong until it is looked at again. */
  const set = (part: Partial<Draft>, field: string) => {
    setDraft((now) => ({ ...now, ...part }))
    setRefusal(undefined)
    setProblems(({ [field]: _, ...others }) => others)
  }

  function complain(found: Problems) {
    setProblems(found)
    const [wrong] = Object.keys(found)
    if (wrong === undefined) return
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus())
  }

  const isFormField = (name: string) =>
    ['name', 'interval_from', 'interval_to'].includes(name) ||
    kind.fields.some((field) => name === `settings.${field.name}`)

  /** Whether the form can be sent; otherwise it says what is wrong. */
  function isComplete(needsName: boolean): boolean {
    const found: Problems = { ...own }
    if (needsName && named.name.trim() === '') found.name = 'Please enter a name'
    if (needsName && draft.interval_from > draft.interval_to)
      found.interval_to = 'Must not be more often than the first'
    complain(found)
    return Object.keys(found).length === 0
  }

  async function tryOut(more: Record<string, string> = {}) {
    if (!isComplete(false) || trial.isPending) return
    const chosen = { ...settings, ...more }
    setTried(JSON.stringify([draft.kind, chosen, draft.secrets]))
    setRefusal(undefined)
    try {
      await trial.mutateAsync({
        ...{ kind: draft.kind, settings: chosen, secrets: typedSecrets(draft) },
        ...(before && { source_id: before.id }),
      })
    } catch (error) {
      const { fields, text } = refusalOf(error, true, isFormField)
      complain(fields)
      setRefusal({ text: text.replace(/^Not saved\./, 'Not tried.'), fields, what: 'other' })
    }
  }

  async function keep(based: Source | undefined) {
    if (!isComplete(true) || save.isPending) return
    setRefusal(undefined)
    try {
      const saved = await save.mutateAsync(based)
      isLeaving.current = true
      putSource(queries, saved)
      onSaved(saved)
    } catch (error) {
      const refused = refusalOf(error, based === undefined, isFormField)
      setRefusal(refused)
      complain(refused.fields)
      if (refused.what === 'gone' && based) dropSource(queries, based.id)
    }
  }

  /** Over what somebody else has saved: only the fields that were changed here. */
  async function keepOverTheirs() {
    const { items } = await queries.fetchQuery({ ...sourcesQuery, staleTime: 0 })
    const theirs = items.find(({ id }) => id === before?.id)
    if (before && theirs) await keep({ ...before, updated_at: theirs.updated_at })
    else setRefusal({ ...refusalOf(null, false, isFormField), what: 'gone' })
  }

  return (
    <form
      ref={form}
      className={classes.editor}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void (triesFirst ? tryOut() : keep(before))
      }}
    >
      <SourceForm
        {...{ kinds, kind, draft, proposed, problems, refusal, set }}
        stored={before?.secrets ?? []}
        decided={before}
        isNew={before === undefined}
        triesFirst={triesFirst}
        isTrying={trial.isPending}
        isSaving={save.isPending}
        onKind={(next) => setDraft(withKind(draft, next))}
        onTry={() => void tryOut()}
        onSave={() => void keep(before)}
        onCancel={onCancel}
        onOverwrite={() => void keepOverTheirs()}
        onAddAgain={() => {
          setBefore(undefined)
          setRefusal(undefined)
        }}
      />
      <section
        ref={result}
        className={classes.result}
        aria-label="What it would bring"
        aria-live="polite"
        aria-busy={trial.isPending}
      >
        {trial.data ? (
          <TryResult
            result={trial.data}
            isOld={tried !== asked}
            isTrying={trial.isPending}
            listPath={String(draft.settings.list_path ?? '')}
            preview={preview}
            number={number}
            said={(text) => withLocalTimes(text, locale, Date.now())}
            onTry={() => void tryOut()}
            onList={(path) => {
              set({ settings: { ...draft.settings, list_path: path } }, 'settings.list_path')
              void tryOut({ list_path: path })
            }}
          />
        ) : (
          <p className={classes.hint}>
            {trial.isPending
              ? 'Asking it now …'
              : '“Try” shows the first rows as the deals they would become. Nothing is stored.'}
          </p>
        )}
      </section>
    </form>
  )
}

/** Stores what a form holds: a new source, or what differs from the one it is based on. */
function store(
  based: Source | undefined,
  draft: Draft,
  kind: KindDescription,
  settings: ReturnType<typeof settingsOf>['settings'],
): Promise<Source> {
  if (based === undefined) return laterClient.sources.create(inputOf(draft, settings))
  const change = changeOf(based, kind, draft, settings)
  // Nothing differs, which is as good as saved.
  if (change === undefined) return Promise.resolve(based)
  return laterClient.sources.change({ id: based.id, ...change, expected_updated_at: based.updated_at })
}
