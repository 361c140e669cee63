import { Button, CloseButton, TextInput } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import icon from '../../../ui/icon-button.module.css'
import { presets as store, usePresets } from '../api.ts'
import { fold, type LinkParams, longestPresetName, type Preset } from '../view.ts'
import classes from './presets-dialog.module.css'

type PresetsDialogProps = {
  /** What would be saved now. */
  search: LinkParams
  /** What the link asks for in words; empty when there is nothing to save. */
  words: string
  onLoad: (preset: Preset) => void
  onClose: () => void
}

const sameName = (name: string) => (preset: Preset) => fold(preset.name.trim()) === fold(name.trim())

/** Set-ups kept under a name on this device: save, load, rename and delete them. */
export function PresetsDialog({ search, words, onLoad, onClose }: PresetsDialogProps) {
  const presets = usePresets()
  const [name, setName] = useState('')
  const [renamed, setRenamed] = useState<{ from: string; to: string }>()
  const [deleted, setDeleted] = useState<{ preset: Preset; place: number }>()
  const [problem, setProblem] = useState<string>()
  const replaces = presets.find(sameName(name))

  function keep(next: Preset[]) {
    setDeleted(undefined)
    setProblem(
      store.set(next) ? undefined : 'This device can’t keep presets; they last until the page is closed.',
    )
  }
  function save() {
    const to = name.trim()
    if (to === '') return setProblem('Please enter a name')
    keep([...presets.filter((preset) => preset !== replaces), { name: to, search }])
    setName('')
  }
  function rename() {
    if (!renamed) return
    const to = renamed.to.trim()
    if (to === '') return setProblem('Please enter a name')
    const other = presets.find(sameName(to))
    if (other && other.name !== renamed.from) return setProblem(`There is already a preset named “${to}”.`)
    keep(presets.map((preset) => (preset.name === renamed.from ? { ...preset, name: to } : preset)))
    setRenamed(undefined)
  }

  return (
    <Dialog title="Presets" onClose={onClose}>
      <CloseButton className={classes.close} size={44} aria-label="Close" onClick={onClose} />
      {presets.length === 0 && (
        <p className={classes.hint}>Save a set-up you use often; it is kept on this device.</p>
      )}
      <ul className={classes.list} hidden={presets.length === 0}>
        {presets.map((preset) => (
          <li key={preset.name} className={classes.row}>
            {renamed?.from === preset.name ? (
              <form
                className={classes.form}
                onSubmit={(event) => {
                  event.preventDefault()
                  rename()
                }}
              >
                <TextInput
                  className={classes.field}
                  aria-label={`New name of ${preset.name}`}
                  ref={(input) => input?.focus()}
                  maxLength={longestPresetName}
                  value={renamed.to}
                  onChange={(event) => setRenamed({ from: preset.name, to: event.currentTarget.value })}
                  onKeyDown={(event) => {
                    if (event.key !== 'Escape') return
                    event.preventDefault()
                    setRenamed(undefined)
                  }}
                />
                <Button type="submit">Rename</Button>
              </form>
            ) : (
              <>
                <button type="button" className={classes.load} onClick={() => onLoad(preset)}>
                  {preset.name}
                </button>
                <button
                  type="button"
                  className={`${icon.button} ${classes.icon}`}
                  aria-label={`Rename ${preset.name}`}
                  onClick={() => {
                    setProblem(undefined)
                    setRenamed({ from: preset.name, to: preset.name })
                  }}
                >
                  <IconPencil size={18} stroke={1.75} aria-hidden />
                </button>
                <button
                  type="button"
                  className={`${icon.button} ${classes.icon}`}
                  aria-label={`Delete ${preset.name}`}
                  onClick={() => {
                    keep(presets.filter((other) => other !== preset))
                    setDeleted({ preset, place: presets.indexOf(preset) })
                  }}
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
            <span>Deleted “{deleted.preset.name}”.</span>
            <button
              type="button"
              className={classes.undo}
              onClick={() => keep(presets.toSpliced(deleted.place, 0, deleted.preset))}
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
          save()
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
        <Button type="submit" disabled={words === ''}>
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
