import { Title } from '@mantine/core'
import { useState } from 'react'
import type { ChosenFile } from './api.ts'
import { FileDrop } from './components/file-drop.tsx'
import { ImportFile } from './components/import-file.tsx'
import classes from './import-screen.module.css'
import { mediaType } from './view.ts'

/** An administrator brings deals in from a file: choose, check what was understood, correct, try, import. */
export function ImportScreen() {
  const [chosen, setChosen] = useState<ChosenFile | null>(null)
  const [unknownName, setUnknownName] = useState('')

  function choose(file: File) {
    const known = mediaType(file.name) !== undefined
    setUnknownName(known ? '' : file.name)
    setChosen(known ? { key: (chosen?.key ?? 0) + 1, file } : null)
  }

  return (
    <div className={classes.screen}>
      <div>
        <Title order={1}>Import deals</Title>
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
      {chosen ? (
        <ImportFile key={chosen.key} chosen={chosen} onFile={choose} />
      ) : (
        <FileDrop onFile={choose} />
      )}
    </div>
  )
}
