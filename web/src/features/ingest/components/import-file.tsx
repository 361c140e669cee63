import { Button, NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { previewQuery, useImportRun } from '../api.ts'
import classes from '../import-admin.module.css'
import { PreviewRows } from '../preview-rows.tsx'
import type { ImportDraft } from '../view/kept-import.ts'
import { encodings, fileSize, missingFields, suggestedAvailability } from '../view.ts'
import { AvailabilityField } from './availability-field.tsx'
import card from './card.module.css'
import { ImportActions } from './import-actions.tsx'
import { ImportStatus } from './import-status.tsx'
import { MappingEditor } from './mapping-editor.tsx'

const isAboutEncoding = (error: Error | null) =>
  error instanceof ApiError && error.fields.encoding !== undefined

const formatNames = { csv: 'CSV', ndjson: 'NDJSON', json: 'JSON' }

type ImportFileProps = {
  draft: ImportDraft
  onChange: (part: Partial<ImportDraft>) => void
  onFile: (file: File) => void
  onImported: () => void
}

/** One chosen file, from the first look at it to what became of it. */
export function ImportFile({ draft, onChange, onFile, onImported }: ImportFileProps) {
  const { chosen, corrections, availability: typed, encoding } = draft
  const { file } = chosen
  const { number } = useMarketplace()
  const [settled] = useDebouncedValue(typed, 400)
  const picker = useRef<HTMLInputElement>(null)

  const first = useQuery(previewQuery(chosen, { corrections, availability: '', encoding }))
  const hasAvailability = Boolean(first.data?.mapping.availability)
  const suggestion = first.data && !hasAvailability ? suggestedAvailability : ''
  const availability = typed ?? suggestion
  const preview = useQuery({
    ...previewQuery(chosen, { corrections, availability: settled ?? suggestion, encoding }),
    enabled: first.data !== undefined,
  })
  const shown = preview.data ?? first.data
  const failure = first.error ?? preview.error
  const run = useImportRun({ ...draft, availability: availability.trim() }, { onChange, onImported })
  const running = run.progress !== null
  const missing = shown ? missingFields(shown.mapping) : []

  return (
    <>
      <ImportStatus file={file} run={run} isReady={missing.length === 0} />
      <section className={`${card.card} ${classes.file}`} aria-label="File">
        <div>
          <p className={classes.name}>{file.name}</p>
          <p className={classes.hint}>
            {fileSize(file.size)}
            {shown &&
              ` · ${formatNames[shown.format]} · ${number(shown.columns.length)} ${shown.columns.length === 1 ? 'column' : 'columns'}`}
          </p>
        </div>
        <Button variant="default" disabled={running} onClick={() => picker.current?.click()}>
          Choose another file
        </Button>
        <input
          ref={picker}
          type="file"
          hidden
          aria-label="Another file"
          onChange={(event) => {
            const [another] = event.currentTarget.files ?? []
            if (another) onFile(another)
          }}
        />
      </section>

      {failure && (
        <p role="alert" className={classes.failure}>
          This file can’t be previewed. {errorMessage(failure)}
        </p>
      )}
      {(encoding !== '' || isAboutEncoding(failure)) && (
        <NativeSelect
          className={classes.availability}
          label="Encoding of the file"
          description="The first rows show whether it is the right one."
          data={encodings}
          value={encoding}
          disabled={running}
          onChange={(event) => onChange({ encoding: event.currentTarget.value })}
        />
      )}
      {first.isPending && (
        <p role="status" className={classes.hint}>
          Reading the beginning of the file…
        </p>
      )}
      {shown && (
        <>
          <section className={`${card.card} ${classes.section}`} aria-label="Columns">
            <div>
              <h2 className={classes.heading}>Columns</h2>
              <p className={classes.hint}>
                What was recognised. Choose another column where it is wrong, or — to leave a field out.
              </p>
            </div>
            <MappingEditor
              preview={shown}
              disabled={running}
              onCorrect={(field, column) => onChange({ corrections: { ...corrections, [field]: column } })}
            />
            {shown.notes.length > 0 && (
              <ul className={classes.notes} aria-label="Notes">
                {shown.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            )}
          </section>
          <section className={`${card.card} ${classes.section}`} aria-label="Availability">
            <h2 className={classes.heading}>Availability</h2>
            <AvailabilityField
              value={availability}
              hasColumn={hasAvailability}
              disabled={running}
              onChange={(text) => onChange({ availability: text })}
            />
          </section>
          <section
            className={`${card.card} ${classes.section}`}
            aria-label="First rows of the file"
            aria-busy={preview.isFetching}
          >
            <div>
              <h2 className={classes.heading}>First rows</h2>
              <p className={classes.hint}>The deals that the first rows would become.</p>
            </div>
            <PreviewRows preview={shown} empty="There are no rows in the beginning of this file." />
          </section>
          <ImportActions run={run} missing={missing} />
        </>
      )}
    </>
  )
}
