import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { ImportOutcome, ImportRun } from '../api.ts'
import classes from '../import-admin.module.css'
import card from './card.module.css'
import { ImportSummary } from './import-summary.tsx'
import { UploadProgress } from './upload-progress.tsx'

type ImportStatusProps = {
  file: File
  run: ImportRun
  /** Every field that rows need is filled, so what was tried may be imported. */
  isReady: boolean
}

/** How far an import is, then what came of it and where to go from here; nothing before the first. */
export function ImportStatus({ file, run, isReady }: ImportStatusProps) {
  const { progress, outcome, hideMissing } = run
  const section = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const isRunning = progress !== null
  // Whoever starts it stands at the other end of the screen.
  useEffect(() => {
    if (!isRunning && outcome === null) return
    section.current?.scrollIntoView({ block: 'start' })
    heading.current?.focus({ preventScroll: true })
  }, [isRunning, outcome])

  if (!progress && !outcome) return null
  const isTrial = outcome !== null && 'result' in outcome && outcome.result.dry_run
  return (
    <section
      ref={section}
      className={`${card.card} ${classes.section} ${classes.result}`}
      aria-label="Result"
    >
      <h2 className={classes.heading} ref={heading} tabIndex={-1}>
        {progress ? (progress.dryRun ? 'Dry run' : 'Importing') : outcome && titleOf(outcome)}
      </h2>
      {progress && <UploadProgress {...progress} bytes={file.size} onCancel={run.cancel} />}
      {outcome && 'failure' in outcome && (
        <p role="alert" className={classes.failure}>
          {outcome.failure}
        </p>
      )}
      {outcome && 'result' in outcome && (
        <>
          {isTrial ? (
            // What would hide deals is pressed where that is explained.
            !hideMissing && (
              <div className={classes.actions}>
                <Button disabled={!isReady} onClick={() => run.start(false)}>
                  Import now
                </Button>
              </div>
            )
          ) : (
            <div className={classes.actions}>
              <Button renderRoot={(props) => <Link to="/amazon-haul" {...props} />}>See the deals</Button>
            </div>
          )}
          <ImportSummary result={outcome.result} fileName={file.name} />
        </>
      )}
    </section>
  )
}

function titleOf(outcome: ImportOutcome): string {
  if ('failure' in outcome) return 'Not imported'
  return outcome.result.dry_run ? 'Dry run: nothing was stored' : 'Imported'
}
