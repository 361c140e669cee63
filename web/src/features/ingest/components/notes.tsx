import classes from '../import-screen.module.css'

/** What the server decided beyond the mapping, in its own sentences. */
export function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null
  return (
    <ul className={classes.notes} aria-label="Notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}
