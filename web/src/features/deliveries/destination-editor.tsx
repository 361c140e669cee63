import type { Destination, DestinationDescription } from '@dealdeck/contract/deliveries'
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { laterClient } from '../../platform/later-client.ts'
import { type PushDestination, rememberPush } from '../../platform/push.ts'
import { SettingFields } from '../../ui/setting-fields.tsx'
import { type Problems, settingsOf, typedSecrets } from '../../ui/typed-settings.ts'
import { useIsShown } from '../../ui/use-is-shown.ts'
import { putDestination } from './api.ts'
import classes from './destination-editor.module.css'
import { changeOf, type DestinationDraft, draftOf, longestDestinationName, problemsOf } from './view/draft.ts'
import { nameFor } from './view.ts'

type DestinationEditorProps = {
  kind: DestinationDescription
  /** Undefined for a new one. */
  destination: Destination | undefined
  isGroup: boolean
  /** Names that other destinations have. */
  taken: readonly string[]
  /** What the device says of itself instead of what somebody would type, such as where it is pushed to. */
  device: (() => Promise<PushDestination>) | undefined
  /** `secret`: what is shown once; `isShown`: whether its reader still waits for it. */
  onSaved: (saved: Destination, secret: string | null, isShown: boolean) => void
  /** Called with what went wrong after the form was left. */
  onLateProblem: (text: string) => void
  onCancel: () => void
}

/** The form of a destination: the steps of its kind, and what it needs to know. */
export function DestinationEditor(props: DestinationEditorProps) {
  const { kind, destination, isGroup, taken, device, onSaved, onLateProblem, onCancel } = props
  const queries = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const isShown = useIsShown()
  const [proposed] = useState(() => nameFor(kind.label, taken))
  const [draft, setDraft] = useState(() => draftOf(kind, destination, proposed))
  const [problems, setProblems] = useState<Problems>({})
  const [refusal, setRefusal] = useState<string>()
  /** While the browser asks whether it may notify. */
  const [isAsking, setAsking] = useState(false)
  const save = useMutation({ mutationFn: store, gcTime: 0 })
  const isBusy = isAsking || save.isPending
  const isNew = destination === undefined
  // Where the device says it all there is nothing to type.
  const typed = device ? [] : kind.fields

  const set = (part: Partial<DestinationDraft>, field: string) => {
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

  async function store(now: DestinationDraft): Promise<{ saved: Destination; secret: string | null }> {
    const { settings } = settingsOf(kind.fields, now, destination?.secrets)
    const common = { affiliate_tag: now.affiliate_tag.trim(), disclosure: now.disclosure.trim() }
    if (destination === undefined) {
      const input = { kind: kind.kind, name: now.name.trim(), settings, is_group: isGroup, ...common }
      const { signing_secret, ...saved } = await laterClient.deliveries.create({
        ...input,
        secrets: typedSecrets(now),
      })
      return { saved, secret: signing_secret }
    }
    const change = changeOf(destination, draftOf(kind, destination, ''), now, settings)
    if (change === undefined) return { saved: destination, secret: null }
    const { id, updated_at: expected_updated_at } = destination
    return {
      saved: await laterClient.deliveries.change({ id, ...change, expected_updated_at }),
      secret: null,
    }
  }

  /** What the device says of itself; by its own name, where nobody has typed one. */
  const ofDevice = (now: DestinationDraft, { settings, secrets }: PushDestination) => ({
    ...now,
    ...{ settings, secrets },
    ...(now.name === proposed && { name: nameFor(settings.label, taken) }),
  })

  async function askDevice(): Promise<PushDestination | undefined> {
    if (!isNew || !device) return undefined
    setAsking(true)
    try {
      return await device()
    } finally {
      setAsking(false)
    }
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isBusy) return
    setRefusal(undefined)
    try {
      const subscribed = await askDevice()
      const whole = subscribed ? ofDevice(draft, subscribed) : draft
      const found = {
        ...(whole.name.trim() === '' && { name: 'Please enter a name' }),
        ...settingsOf(kind.fields, whole, destination?.secrets).problems,
      }
      if (Object.keys(found).length > 0) return complain(found)
      const { saved, secret } = await save.mutateAsync(whole)
      if (subscribed) rememberPush(saved.id, subscribed)
      putDestination(queries, saved)
      onSaved(saved, secret, isShown())
    } catch (error) {
      const { fields, text } = problemsOf(error, kind)
      if (!isShown()) {
        const said = text ?? `Not saved. ${Object.values(fields).join(' ')}`
        return onLateProblem(`${draft.name}: ${said}`)
      }
      complain(fields)
      setRefusal(text)
    }
  }

  return (
    <form ref={form} className={classes.form} noValidate onSubmit={(event) => void submit(event)}>
      {isNew && (
        <ol className={classes.steps}>
          {kind.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      <SettingFields
        fields={typed}
        typed={draft}
        stored={destination?.secrets ?? []}
        problems={problems}
        focusesFirst={isNew}
        set={set}
      />
      <TextInput
        name="name"
        label="Name"
        size="md"
        autoComplete="off"
        maxLength={longestDestinationName}
        value={draft.name}
        error={problems.name}
        onChange={(event) => set({ name: event.currentTarget.value }, 'name')}
      />
      <details className={classes.more} open={isGroup || draft.affiliate_tag !== '' || undefined}>
        <summary>Links to the shop</summary>
        <div className={classes.fields}>
          <TextInput
            name="affiliate_tag"
            label="Affiliate tag"
            description="Links that are sent there carry it. Left empty, they carry none."
            size="md"
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
            value={draft.affiliate_tag}
            error={problems.affiliate_tag}
            onChange={(event) => set({ affiliate_tag: event.currentTarget.value }, 'affiliate_tag')}
          />
          <TextInput
            name="disclosure"
            label="Said with each such link"
            placeholder="(paid link)"
            size="md"
            autoComplete="off"
            maxLength={120}
            value={draft.disclosure}
            error={problems.disclosure}
            onChange={(event) => set({ disclosure: event.currentTarget.value }, 'disclosure')}
          />
        </div>
      </details>
      <p role="alert" className={classes.refusal}>
        {refusal}
      </p>
      <div className={classes.actions}>
        <Button type="submit" loading={isBusy}>
          {isNew ? (device ? 'Allow notifications here' : 'Add') : 'Save'}
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
