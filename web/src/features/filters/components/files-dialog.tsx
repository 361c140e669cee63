import type { FilterImportResult } from '@dealdeck/contract/filters'
import { Button, Group } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import { type FileImport, importFilters } from '../view/changes.ts'
import { importLine } from '../view.ts'
import classes from './filter-dialog.module.css'

type FilesDialogProps = {
  number: (value: number) => string
  onImport: (file: FileImport) => Promise<FilterImportResult>
  onDone: (line: string) => void
  /** Hears why nothing was imported where the dialog was closed before that was known. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

type Tried = { result: FilterImportResult } | { problem: string; lines: [line: string, problem: string][] }

/** Takes filters from a file: says first what that comes to, and which lines are wrong if any are. */
export function FilesDialog({ number, onImport, onDone, onLateProblem, onClose }: FilesDialogProps) {
  const [text, setText] = useState<string>()
  const [replace, setReplace] = useState(false)
  const [tried, setTried] = useState<Tried>()
  const [isBusy, setBusy] = useState(false)
  const hintId = useId()
  /** Which file and choice were tried last: an answer about others comes too late. */
  const latest = useRef(0)
  const isShown = useIsShown()
  const result = tried && 'result' in tried ? tried.result : undefined
  const isNothing = result !== undefined && result.added + result.changed + result.removed === 0

  function refuse(error: unknown) {
    const lines = error instanceof ApiError ? Object.entries(error.fields) : []
    setTried({ problem: errorMessage(error), lines: lines.length > 1 ? lines : [] })
  }

  async function tryOut(content: string, all: boolean) {
    setText(content)
    setReplace(all)
    setTried(undefined)
    latest.current += 1
    const own = latest.current
    try {
      const result = await importFilters({ text: content, replace: all, dryRun: true })
      if (own === latest.current) setTried({ result })
    } catch (error) {
      if (own === latest.current) refuse(error)
    }
  }

  async function bring() {
    if (text === undefined) return
    setBusy(true)
    try {
      const done = await onImport({ text, replace })
      onDone(`Imported: ${importLine(done, number)}.`)
    } catch (error) {
      if (!isShown()) return onLateProblem(`No filters were imported. ${errorMessage(error)}`)
      refuse(error)
      setBusy(false)
    }
  }

  return (
    <Dialog title="Import filters" onClose={onClose}>
      <p id={hintId} className={classes.hint}>
        A JSON or CSV file as the export writes it, with category, name and code. All of it is taken or
        nothing.
      </p>
      <div className={classes.fields}>
        <input
          type="file"
          className={classes.file}
          accept=".json,.csv,.txt"
          aria-label="File of filters"
          aria-describedby={hintId}
          onClick={({ currentTarget }) => {
            // A mended file has the name of the refused one, and choosing the same again is no change.
            if (tried && 'problem' in tried) currentTarget.value = ''
          }}
          onChange={(event) => {
            const file = event.currentTarget.files?.[0]
            if (!file) return
            const own = ++latest.current
            const isNewest = () => own === latest.current
            setText(undefined)
            setTried(undefined)
            const refuseFile = () => {
              if (!isNewest()) return
              setTried({ problem: 'This file can’t be read. Choose it again, or a copy of it.', lines: [] })
            }
            void file
              .text()
              .then((content) => (isNewest() ? tryOut(content, replace) : undefined), refuseFile)
          }}
        />
        <fieldset className={classes.choices}>
          {[false, true].map((all) => (
            <label key={String(all)} className={classes.choice}>
              <input
                type="radio"
                name="replace"
                checked={replace === all}
                onChange={() => (text === undefined ? setReplace(all) : void tryOut(text, all))}
              />
              {all ? 'Replace all filters by the file’s' : 'Add to the present filters and update them'}
            </label>
          ))}
        </fieldset>
        <div className={classes.outcome}>
          <p role="status" className={classes.sum}>
            {result && (isNothing ? 'All of it is there already.' : importLine(result, number))}
            {text !== undefined && tried === undefined && 'Reading …'}
          </p>
          {tried && 'problem' in tried && (
            <div role="alert">
              <p className={classes.problem}>{tried.problem}</p>
              <ul className={classes.lines} hidden={tried.lines.length === 0}>
                {tried.lines.slice(1).map(([line, problem]) => (
                  <li key={line}>
                    {line}: {problem}
                  </li>
                ))}
              </ul>
            </div>
          )}
        </div>
        <Group className={classes.actions} justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={result === undefined || isNothing} loading={isBusy} onClick={() => void bring()}>
            Import filters
          </Button>
        </Group>
      </div>
    </Dialog>
  )
}
