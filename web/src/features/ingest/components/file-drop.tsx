import { IconFileImport } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './file-drop.module.css'

const accepted = '.csv,.tsv,.txt,.ndjson,.jsonl,.json,.gz'

/** A place to drop a file on, which is also the button that opens the browser's own file dialog. */
export function FileDrop({ onFile }: { onFile: (file: File) => void }) {
  const [over, setOver] = useState(false)
  const take = (files: FileList | null) => {
    const file = files?.[0]
    if (file) onFile(file)
  }
  return (
    <label
      className={classes.drop}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer.files)
      }}
    >
      <input
        type="file"
        accept={accepted}
        className={classes.input}
        aria-label="File of deals"
        onChange={(event) => {
          take(event.currentTarget.files)
          // Choosing the same file again is a choice too.
          event.currentTarget.value = ''
        }}
      />
      <IconFileImport size={32} stroke={1.5} className={classes.icon} aria-hidden />
      <span className={classes.main}>
        Drop a file here or <span className={classes.choose}>choose one</span>
      </span>
      <span className={classes.hint}>CSV, NDJSON or a JSON array, also compressed as .gz</span>
    </label>
  )
}
