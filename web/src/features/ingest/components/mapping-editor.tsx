import { importFieldLabels, importFields } from '@dealdeck/contract/import-fields'
import type { ImportField, ImportPreview } from '@dealdeck/contract/ingest'
import { NativeSelect } from '@mantine/core'
import { useMarketplace } from '../../../platform/money.ts'
import { exampleValues, unusedColumns } from '../view.ts'
import classes from './mapping-editor.module.css'

type MappingEditorProps = {
  preview: ImportPreview
  /** Fills a field from another column, or from none for ''. */
  onCorrect: (field: ImportField, column: string) => void
  disabled: boolean
}

/** Which column of the file fills which field of a deal, each with values from the file to judge by. */
export function MappingEditor({ preview, onCorrect, disabled }: MappingEditorProps) {
  const { number } = useMarketplace()
  const unused = unusedColumns(preview)
  return (
    <>
      <div className={classes.fields}>
        {importFields.map((field) => {
          const column = preview.mapping[field] ?? ''
          return (
            <NativeSelect
              key={field}
              label={importFieldLabels[field]}
              description={column === '' ? 'Not in this file' : examplesOf(preview, column)}
              inputWrapperOrder={['label', 'input', 'description']}
              value={column}
              disabled={disabled}
              className={column === '' ? classes.unfilled : classes.filled}
              classNames={{ description: classes.examples }}
              onChange={(event) => onCorrect(field, event.currentTarget.value)}
              data={[{ value: '', label: '—' }, ...preview.columns]}
            />
          )
        })}
      </div>
      {unused.length > 0 && (
        <details className={classes.unused}>
          <summary>
            {unused.length === 1 ? '1 column is' : `${number(unused.length)} columns are`} not used
          </summary>
          <dl className={classes.list}>
            {unused.map((column) => (
              <div key={column} className={classes.entry}>
                <dt>{column}</dt>
                <dd>{examplesOf(preview, column)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  )
}

function examplesOf(preview: ImportPreview, column: string): string {
  return exampleValues(preview, column).join(' · ') || 'Empty in the first rows'
}
