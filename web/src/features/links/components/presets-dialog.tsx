import { Button, CloseButton, TextInput } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import icon from '../../../ui/icon-button.module.css'
import { useItemChanges } from '../api.ts'
import { useOwnItems } from '../live.ts'
import { longestPresetName, type Preset } from '../view/kept.ts'
import { fold, type LinkParams } from '../view.ts'
import classes from './presets-dialog.module.css'

type PresetsDialogProps = {
  /** What would be saved now. */
  search: LinkParams
  /** What the link asks for in words; empty when there is nothing to save. */
  words: string
  onLoad: (preset: Preset) => void
  onClose: () => void
}

/** A function made in place would be another from draw to draw, and take the focus each time. */
const takeFocus = (input: HTMLInputElement | null) => input?.focus()
/** The button that had it is gone with its preset. */
const takeLostFocus = (button: HTMLButtonElement | null) => {
  if (document.activeElement === document.body) button?.focus()
}

const sameName = (name: string) => (preset: Preset) => fold(preset.value.name) === fold(name.trim())

/** Set-ups kept under a name in the account: save, load, rename and delete them. */
export function PresetsDialog({ search, words, onLoad, onClose }: PresetsDialogProps) {
  const { presets, isKnown, problem: unread, retry } = useOwnItems()
  const { add, change, remove } = useItemChanges()
  const [name, setName] = useState('')
  const [renamed, setRenamed] = useState<{ id: number; to: string }>()
  /** The preset whose form had the focus and is gone. */
  const left = useRef<number>(undefined)
  const [deleted, setDeleted] = useState<Preset>()
  const [problem, setProblem] = useState<string>()
  const replaces = presets.find(sameName(name))

  const isBusy = add.isPending || change.isPending || remove.isPending

  /** Says why when it was not done; what was typed stays to be tried again. */
  async function attempt(work: () => Promise<unknown>, failed = 'Not saved.'): Promise<boolean> {
    setDeleted(undefined)
    setProblem(undefined)
    try {
      await work()
      return true
    } catch (error) {
      setProblem(`${failed} ${errorMessage(error)}`)
      return false
    }
  }
  async function save() {
    const to = name.trim()
    if (to === '') return setProblem('Please enter a name')
    const value = { name: to, search }
    const create = () => add.mutateAsync({ kind: 'link_preset', value })
    const replace = (item: Preset) =>
      change.mutateAsync({ item, value }).catch((error) => {
        // Another device has removed it, so nothing is lost by saving this one.
        if (error instanceof ApiError && error.status === 404) return create()
        throw error
      })
    const isDone = await attempt(() => (replaces ? replace(replaces) : create()))
    // What is typed meanwhile is the next name.
    if (isDone) setName((typed) => (typed === name ? '' : typed))
  }
  async function rename(item: Preset, given: string) {
    const to = given.trim()
    if (to === '') return setProblem('Please enter a name')
    const other = presets.find(sameName(to))
    if (other && other.id !== item.id) return setProblem(`There is already a preset named “${to}”.`)
    const value = { ...item.value, name: to }
    if (await attempt(() => change.mutateAsync({ item, value }))) leaveForm(item)
  }
  function leaveForm({ id }: Preset) {
    // Whoever types elsewhere by now keeps the focus.
    if (!document.activeElement?.matches('form:not(li form) input')) left.current = id
    setRenamed(undefined)
  }
  async function discard(preset: Preset) {
    if (isBusy) return
    if (await attempt(() => remove.mutateAsync(preset), 'Not deleted.')) setDeleted(preset)
  }

  return (
    <Dialog title="Presets" onClose={onClose}>
      <CloseButton className={classes.close} size={44} aria-label="Close" onClick={onClose} />
      {presets.length === 0 && unread === undefined && (
        <p className={classes.hint}>
          {isKnown ? 'Save a set-up you use often; it is there on all your devices.' : 'Loading...'}
        </p>
      )}
      {unread !== undefined && (
        <p className={classes.stale} role="status">
          <span>
            {isKnown
              ? 'These are the presets this device saw last. Nothing can be saved now.'
              : `Your presets can’t be read now. ${unread}`}
          </span>
          <button type="button" className={classes.undo} onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <ul className={classes.list} hidden={presets.length === 0}>
        {presets.map((preset) => (
          <li key={preset.id} className={classes.row}>
            {renamed?.id === preset.id ? (
              <form
                className={classes.form}
                onSubmit={(event) => {
                  event.preventDefault()
                  void rename(preset, renamed.to)
                }}
              >
                <TextInput
                  className={classes.field}
                  aria-label={`New name of ${preset.value.name}`}
                  ref={takeFocus}
                  maxLength={longestPresetName}
                  value={renamed.to}
                  onChange={(event) => {
                    setRenamed({ id: preset.id, to: event.currentTarget.value })
                    setProblem(undefined)
                  }}
                  onKeyDown={(event) => {
                    if (event.key !== 'Escape') return
                    event.preventDefault()
                    leaveForm(preset)
                  }}
                />
                <Button type="submit" loading={change.isPending}>
                  Rename
                </Button>
                <Button variant="default" onClick={() => leaveForm(preset)}>
                  Cancel
                </Button>
              </form>
            ) : (
              <>
                <button type="button" className={classes.load} onClick={() => onLoad(preset)}>
                  {preset.value.name}
                </button>
                <button
                  ref={(button) => {
                    if (!button || left.current !== preset.id) return
                    left.current = undefined
                    button.focus()
                  }}
                  type="button"
                  className={`${icon.button} ${classes.icon}`}
                  aria-label={`Rename ${preset.value.name}`}
                  onClick={() => {
                    setProblem(undefined)
                    setRenamed({ id: preset.id, to: preset.value.name })
                  }}
                >
                  <IconPencil size={18} stroke={1.75} aria-hidden />
                </button>
                <button
                  type="button"
                  className={`${icon.button} ${classes.icon}`}
                  aria-label={`Delete ${preset.value.name}`}
                  // Not disabled: where it can't be deleted the focus stays here.
                  aria-disabled={isBusy}
                  // At the second click of a double one the next preset may stand here.
                  onClick={({ detail }) => detail < 2 && void discard(preset)}
                >
                  <IconTrash size={18} stroke={1.75} aria-hidden />
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      <p className={classes.said} role="status">
        {deleted && (
          <>
            <span>Deleted “{deleted.value.name}”.</span>
            <button
              ref={takeLostFocus}
              type="button"
              className={classes.undo}
              onClick={() =>
                void attempt(() => add.mutateAsync({ kind: deleted.kind, value: deleted.value }))
              }
            >
              Undo
            </button>
          </>
        )}
      </p>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextInput
          className={classes.field}
          label="Save the present set-up as"
          placeholder="Name"
          autoComplete="off"
          maxLength={longestPresetName}
          disabled={words === ''}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <Button type="submit" disabled={words === ''} loading={isBusy && renamed === undefined}>
          {replaces ? 'Replace' : 'Save'}
        </Button>
      </form>
      <p className={classes.what}>{words === '' ? 'There is nothing to save yet.' : words}</p>
      <p className={classes.problem} role="alert">
        {problem}
      </p>
    </Dialog>
  )
}
