import type { ImportMissing, ImportResult } from '@dealdeck/contract/ingest'
import { Button, Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../platform/api-error.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { uploadImport } from '../api.ts'
import classes from '../import-screen.module.css'
import { type Mapping, missingFields } from '../view.ts'
import card from './card.module.css'
import { ImportSummary } from './import-summary.tsx'
import { UploadProgress } from './upload-progress.tsx'

type ImportRunProps = {
  file: File
  corrections: Mapping
  availability: string
  /** What fills which field now. */
  mapping: Mapping
  running: boolean
  onRunning: (running: boolean) => void
}

type Outcome = { result: ImportResult } | { failure: string }

const maybeStored = 'Some rows may be stored already; importing the file again stores nothing twice.'

/** Tries or imports the file and says what became of it. */
export function ImportRun({ file, corrections, availability, mapping, running, onRunning }: ImportRunProps) {
  const queryClient = useQueryClient()
  const { number } = useMarketplace()
  const [hideMissing, setHideMissing] = useState(false)
  /** What the last dry run said would be hidden, and for which choices. */
  const [checked, setChecked] = useState<{ choices: string; missing: ImportMissing } | null>(null)
  const [dryRun, setDryRun] = useState(false)
  const [share, setShare] = useState(0)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const cancelling = useRef<AbortController>(undefined)
  const heading = useRef<HTMLHeadingElement>(null)
  const missing = missingFields(mapping)
  const choices = JSON.stringify([corrections, availability])
  const leftOut = hideMissing && checked?.choices === choices ? checked.missing : null

  useBlocker({
    disabled: !running,
    enableBeforeUnload: () => running,
    shouldBlockFn: () => !window.confirm('The import is still running. Leave and cancel it?'),
  })
  useEffect(() => () => cancelling.current?.abort(), [])
  useEffect(() => {
    if (outcome) heading.current?.focus()
  }, [outcome])

  async function run(isDryRun: boolean) {
    const controller = new AbortController()
    cancelling.current = controller
    setDryRun(isDryRun)
    setShare(0)
    setOutcome(null)
    onRunning(true)
    let sent = 0
    try {
      const { signal } = controller
      const result = await uploadImport(file, {
        corrections,
        availability,
        dryRun: isDryRun,
        hideMissing,
        confirmed: leftOut?.needs_confirmation ?? false,
        signal,
        onProgress: (progress) => {
          sent = progress
          setShare(progress)
        },
      })
      finish({ result })
      setChecked(isDryRun && result.missing ? { choices, missing: result.missing } : null)
      // Whatever shows deals asks again; the preview of this file stays true.
      if (isDryRun) return
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'import-preview' })
    } catch (error) {
      finish({ failure: failureText(error, !isDryRun && sent === 1) })
    }
  }

  function finish(what: Outcome) {
    onRunning(false)
    setOutcome(what)
  }

  if (running) {
    return (
      <section className={`${card.card} ${classes.section}`} aria-label="Import">
        <UploadProgress
          dryRun={dryRun}
          share={share}
          bytes={file.size}
          onCancel={() => cancelling.current?.abort()}
        />
      </section>
    )
  }

  return (
    <section className={`${card.card} ${classes.section}`} aria-label="Import">
      {outcome && (
        <>
          <h2 className={classes.heading} ref={heading} tabIndex={-1}>
            {titleOf(outcome)}
          </h2>
          {'result' in outcome ? (
            <ImportSummary result={outcome.result} fileName={file.name} />
          ) : (
            <p role="alert" className={classes.failure}>
              {outcome.failure}
            </p>
          )}
        </>
      )}
      {missing.length > 0 && (
        <p role="status" className={classes.failure}>
          Every row needs {missing.join(', ')}. Please choose the columns above.
        </p>
      )}
      <Switch
        label="This file lists everything"
        description="Deals that are not in it are hidden, until they are listed again."
        checked={hideMissing}
        onChange={(event) => {
          setHideMissing(event.currentTarget.checked)
          setChecked(null)
        }}
      />
      <div className={classes.actions}>
        <Button
          onClick={() => void run(false)}
          disabled={missing.length > 0 || (hideMissing && !leftOut)}
          color={leftOut?.needs_confirmation ? 'red' : undefined}
        >
          {leftOut && leftOut.hidden > 0
            ? `Import and hide ${number(leftOut.hidden)} ${leftOut.hidden === 1 ? 'deal' : 'deals'}`
            : 'Import'}
        </Button>
        <Button variant="default" onClick={() => void run(true)} disabled={missing.length > 0}>
          Dry run
        </Button>
        {outcome && 'result' in outcome && !outcome.result.dry_run && (
          <Button variant="subtle" renderRoot={(props) => <Link to="/amazon-haul" {...props} />}>
            See the deals
          </Button>
        )}
      </div>
      {hideMissing && !leftOut ? (
        <p className={classes.hint}>Please try a dry run first: it shows which deals would be hidden.</p>
      ) : (
        !outcome && <p className={classes.hint}>A dry run checks every row and stores nothing.</p>
      )}
    </section>
  )
}

function titleOf(outcome: Outcome): string {
  if ('failure' in outcome) return 'Not imported'
  return outcome.result.dry_run ? 'Dry run: nothing was stored' : 'Imported'
}

/** `begun`: the whole file had arrived, so the server may have begun to store. */
function failureText(error: unknown, begun: boolean): string {
  if (error instanceof ApiError) return error.message
  const consequence = begun ? maybeStored : 'Nothing was stored.'
  if (error instanceof DOMException && error.name === 'AbortError') return `Cancelled. ${consequence}`
  return `The connection broke before the server had answered. ${consequence} Please try again.`
}
