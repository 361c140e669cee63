import '@mantine/core/styles/Radio.layer.css'
import type { ImportPreview } from '@dealdeck/contract/ingest'
import type { TryResult as Result } from '@dealdeck/contract/sources'
import { Button, Radio } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './try-result.module.css'

type TryResultProps = {
  result: Result
  /** Whether something was changed since it was tried. */
  isOld: boolean
  isTrying: boolean
  /** Which of several lists the form names. */
  listPath: string
  preview: (preview: ImportPreview) => ReactNode
  number: (value: number) => string
  /** A sentence of the server's as it is shown. */
  said: (text: string) => string
  onList: (path: string) => void
  onTry: () => void
}

/** What a source would bring now: its first rows, or what is wrong and what to do. */
export function TryResult(props: TryResultProps) {
  const { result, isOld, isTrying, listPath, preview, number, said, onList, onTry } = props
  const { problem, lists, cost, notes } = result
  return (
    <div className={classes.result} data-old={isOld || undefined}>
      {isOld && (
        <p className={classes.old}>
          <span>Something has been changed since this was tried.</span>
          <Button variant="default" size="compact-sm" loading={isTrying} onClick={onTry}>
            Try again
          </Button>
        </p>
      )}
      {problem !== null && (
        <p className={classes.problem}>
          <IconAlertTriangle size={18} aria-hidden />
          <span>{said(problem)}</span>
        </p>
      )}
      {lists.length > 1 && (
        <Radio.Group
          label="Several lists are in this document. Which one are the deals?"
          value={listPath}
          onChange={onList}
        >
          <div className={classes.lists}>
            {lists.map(({ path, rows }) => (
              <Radio
                key={path}
                value={path}
                disabled={isTrying}
                label={
                  <>
                    <code className={classes.path}>{path}</code> with {number(rows)}{' '}
                    {rows === 1 ? 'row' : 'rows'}
                  </>
                }
              />
            ))}
          </div>
        </Radio.Group>
      )}
      {result.preview && (
        <div className={classes.preview}>
          <h3 className={classes.heading}>The deals that its first rows become</h3>
          {preview(result.preview)}
        </div>
      )}
      {(cost !== null || notes.length > 0) && (
        <ul className={classes.notes} aria-label="Notes">
          {cost !== null && <li>Cost: {cost}</li>}
          {[...new Set(notes)].map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
