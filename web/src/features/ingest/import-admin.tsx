import { useState } from 'react'
import { useSession } from '../../platform/session.ts'
import { FileDrop } from './components/file-drop.tsx'
import { ImportFile } from './components/import-file.tsx'
import { ImportHistory } from './components/import-history.tsx'
import { Tokens } from './components/tokens.tsx'
import classes from './import-admin.module.css'
import { type ImportDraft, keepDraft, keptDraft, newDraft } from './view/kept-import.ts'
import { mediaType } from './view.ts'

/** How deals get in: a file by hand, scripts with a token, and what came of each time. The dashboard's Import. */
export function ImportAdmin() {
  const { id } = useSession()
  const [draft, setDraft] = useState(() => keptDraft(id))
  const [unknownName, setUnknownName] = useState('')

  function change(next: ImportDraft | undefined) {
    keepDraft(id, next)
    setDraft(next)
  }

  function choose(file: File) {
    const known = mediaType(file.name) !== undefined
    setUnknownName(known ? '' : file.name)
    change(known ? newDraft(file) : undefined)
  }

  return (
    <div className={classes.tab}>
      <div>
        <h2 className={classes.title}>Import deals</h2>
        <p className={classes.lead}>
          Columns are recognised by what they mean. Deals that are already known are brought up to date;
          importing the same file again changes nothing.
        </p>
      </div>
      {unknownName !== '' && (
        <p role="alert" className={classes.failure}>
          {unknownName} is not a kind of file that can be imported. Please choose a .csv, .tsv, .ndjson,
          .jsonl or .json file, or one of these as .gz.
        </p>
      )}
      {draft ? (
        <ImportFile
          key={draft.chosen.key}
          draft={draft}
          onChange={(part) => change({ ...draft, ...part })}
          onFile={choose}
          // It stays on the screen with what came of it, and isn't waiting for anything any more.
          onImported={() => keepDraft(id, undefined)}
        />
      ) : (
        <FileDrop onFile={choose} />
      )}
      <div className={classes.others}>
        <ImportHistory />
        <Tokens />
      </div>
    </div>
  )
}
