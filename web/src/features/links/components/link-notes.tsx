import type { LeftOut } from '@dealdeck/marketplace/search-resolution'
import { Button } from '@mantine/core'
import { categoryLabels, type Missing } from '../view.ts'
import classes from './link-notes.module.css'

type LinkNotesProps = {
  /** Parts of a pasted address that no filter stands for. */
  unread: readonly string[]
  missing: readonly Missing[]
  /** Whether the filters are the server's present ones, so that what is missing is gone. */
  isUpToDate: boolean
  leftOut: readonly LeftOut[]
  /** The set-up doesn't fit into the page's address. */
  isTooLong: boolean
  /** The link may be longer than the shop takes. */
  isLinkTooLong: boolean
  onRead: () => void
  onForget: () => void
}

const mostShown = 12

/** What a reader should know of the set-up: nothing is dropped from a link silently. */
export function LinkNotes({
  unread,
  missing,
  isUpToDate,
  leftOut,
  isTooLong,
  isLinkTooLong,
  onRead,
  onForget,
}: LinkNotesProps) {
  return (
    <div role="status" className={classes.notes}>
      {unread.length > 0 && (
        <Note title="Not understood in the pasted link" action="OK" onAction={onRead}>
          {unread.map((part) => ({ key: part, text: part, isCode: true }))}
        </Note>
      )}
      {missing.length > 0 && (
        <Note
          title={isUpToDate ? 'These filters don’t exist any more' : 'These filters can’t be loaded now'}
          action={isUpToDate ? 'Remove them' : undefined}
          onAction={onForget}
        >
          {missing.map(({ category, name }) => ({
            key: `${category} ${name}`,
            text: `${name} (${categoryLabels[category]})`,
          }))}
        </Note>
      )}
      {leftOut.length > 0 && (
        <Note title="Not in the link">
          {leftOut.map(({ name, code, reason }) => ({ key: `${name} ${code}`, text: `${name}: ${reason}` }))}
        </Note>
      )}
      {isLinkTooLong && (
        <Note title="This link is very long">
          {[{ key: 'why', text: 'The shop may refuse it. Choose fewer filters.' }]}
        </Note>
      )}
      {isTooLong && (
        <Note title="So many filters don’t fit into this page’s address">
          {[{ key: 'why', text: 'The link works, but save a preset to keep the set-up.' }]}
        </Note>
      )}
    </div>
  )
}

type NoteProps = {
  title: string
  action?: string | undefined
  onAction?: () => void
  children: { key: string; text: string; isCode?: boolean }[]
}

function Note({ title, action, onAction, children }: NoteProps) {
  const more = children.length - mostShown
  return (
    <div className={classes.note}>
      <div className={classes.what}>
        <p className={classes.title}>{title}</p>
        <ul className={classes.list}>
          {children.slice(0, mostShown).map(({ key, text, isCode }) => (
            <li key={key}>{isCode ? <code>{text}</code> : text}</li>
          ))}
          {more > 0 && <li>and {more} more</li>}
        </ul>
      </div>
      {action && (
        <Button variant="subtle" color="gray" className={classes.action} onClick={onAction}>
          {action}
        </Button>
      )}
    </div>
  )
}
