import { sortWarning } from '@dealdeck/marketplace/search-links'
import { Button } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy, IconExternalLink, IconQrcode } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { copyText } from '../../../platform/clipboard.ts'
import classes from './result-panel.module.css'

type ResultPanelProps = {
  /** The generated link; undefined while there is nothing to search for, or it leads out of the shop. */
  url: string | undefined
  /** What the link asks for; empty for nothing. */
  words: string
  /** Two departments without a sort: the link may be looked at, but not used. */
  isBlocked: boolean
  isWaiting: boolean
  onQr: () => void
}

const saidForMs = 3_000

/** The link, in words and letters, to copy and to open. On a phone it stays at the bottom of the screen. */
export function ResultPanel({ url, words, isBlocked, isWaiting, onQr }: ResultPanelProps) {
  const [said, say] = useSaid()
  const isOff = isBlocked || isWaiting

  async function copy() {
    if (url === undefined) return say({ text: 'No URL to copy', isFailure: true })
    const isCopied = await copyText(url)
    say(isCopied ? { text: 'Link copied' } : { text: 'Failed to copy link', isFailure: true })
  }

  return (
    <section className={classes.panel} aria-label="Generated link" aria-busy={isWaiting}>
      {isBlocked ? (
        <p className={classes.warning} role="alert">
          <IconAlertTriangle size={18} aria-label="Warning" role="img" /> <span>{sortWarning}</span>
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
        <Button
          className={classes.copy}
          disabled={isOff}
          leftSection={
            said && !said.isFailure ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />
          }
          onClick={() => void copy()}
        >
          {said && !said.isFailure ? 'Copied' : 'Copy'}
        </Button>
        {url === undefined || isOff ? (
          <Button
            className={classes.open}
            variant="default"
            disabled={isOff}
            leftSection={<IconExternalLink size={18} aria-hidden />}
            onClick={() => say({ text: 'No URL to open', isFailure: true })}
          >
            Open in Browser
          </Button>
        ) : (
          <Button
            className={classes.open}
            component="a"
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            variant="default"
            leftSection={<IconExternalLink size={18} aria-hidden />}
          >
            Open in Browser
          </Button>
        )}
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
      <p className={classes.said} role="status" data-failed={said?.isFailure || undefined}>
        {said?.text}
      </p>
    </section>
  )
}

type Said = { text: string; isFailure?: boolean }

/** Something to say for three seconds. */
function useSaid(): [Said | undefined, (said: Said) => void] {
  const [said, setSaid] = useState<Said>()
  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => setSaid(undefined), saidForMs)
    return () => clearTimeout(timer)
  }, [said])
  return [said, setSaid]
}
