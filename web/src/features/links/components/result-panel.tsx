import { Button } from '@mantine/core'
import { IconAlertTriangle, IconQrcode } from '@tabler/icons-react'
import { LinkActions, useFeedback } from '../../../ui/link-actions.tsx'
import classes from './result-panel.module.css'

type ResultPanelProps = {
  /** The generated link; undefined while there is nothing to search for, or it leads out of the shop. */
  url: string | undefined
  /** What the link asks for; empty for nothing. */
  words: string
  /** Why the link may be looked at, but not used; null when it may. */
  warning: string | null
  isWaiting: boolean
  onQr: () => void
}

const buttonWords = { open: 'Open in Browser', copied: 'Link copied', failed: 'Failed to copy link' }

/** The link, in words and letters, to copy and to open. On a phone it stays at the bottom of the screen. */
export function ResultPanel({ url, words, warning, isWaiting, onQr }: ResultPanelProps) {
  const [feedback, say] = useFeedback(url)
  const isOff = warning !== null || isWaiting

  return (
    <section className={classes.panel} aria-label="Generated link" aria-busy={isWaiting}>
      {warning !== null ? (
        <p className={classes.warning} role="alert">
          <IconAlertTriangle size={18} aria-label="Warning" role="img" /> <span>{warning}</span>
        </p>
      ) : (
        <p className={classes.words} data-empty={words === '' || undefined}>
          {isWaiting ? 'Loading filters…' : words === '' ? 'Type a keyword or choose a filter.' : words}
        </p>
      )}
      <textarea
        className={classes.link}
        aria-label="Generated link"
        readOnly
        rows={1}
        placeholder="Your link appears here"
        value={isWaiting ? '' : (url ?? '')}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div className={classes.actions}>
        <LinkActions
          url={url}
          disabled={isOff}
          words={buttonWords}
          classes={{ copy: classes.copy, open: classes.open }}
          feedback={feedback}
          say={say}
        />
        <Button
          className={classes.qr}
          variant="default"
          disabled={url === undefined || isOff}
          aria-label="QR code of the link"
          title="QR code"
          onClick={onQr}
        >
          <IconQrcode size={20} aria-hidden />
        </Button>
      </div>
      <p className={classes.feedback} role="status" data-failed={feedback?.isFailure || undefined}>
        {feedback?.text}
      </p>
    </section>
  )
}
