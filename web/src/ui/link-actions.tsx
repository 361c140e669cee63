import { Button } from '@mantine/core'
import { IconCheck, IconCopy, IconExternalLink } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { copyText } from '../platform/clipboard.ts'

export type Feedback = { text: string; isFailure?: boolean }

const feedbackMs = 3_000

/** Something to say of a link for three seconds, or until there is another link. */
export function useFeedback(url: string | undefined): [Feedback | undefined, (feedback: Feedback) => void] {
  const [feedback, setFeedback] = useState<Feedback & { of: string | undefined }>()
  useEffect(() => {
    if (feedback === undefined) return
    const timer = setTimeout(() => setFeedback(undefined), feedbackMs)
    return () => clearTimeout(timer)
  }, [feedback])
  return [
    feedback?.of === url ? feedback : undefined,
    ({ text, isFailure = false }) => setFeedback({ text, isFailure, of: url }),
  ]
}

type LinkActionsProps = {
  url: string | undefined
  disabled?: boolean
  /** What stands on the button that opens, and what is said of a copy. */
  words: { open: string; copied: string; failed: string }
  classes: { copy: string | undefined; open: string | undefined }
  /** As `useFeedback` gives them; whoever shows the buttons says it where there is room. */
  feedback: Feedback | undefined
  say: (feedback: Feedback) => void
}

/** The buttons that copy a link and open it. Without a link they look disabled, and say so when they are pressed. */
export function LinkActions({ url, disabled, words, classes, feedback, say }: LinkActionsProps) {
  const without = url === undefined && !disabled && { 'data-disabled': true, 'aria-disabled': true }
  const isCopied = feedback !== undefined && !feedback.isFailure

  async function copy() {
    if (url === undefined) return say({ text: 'No URL to copy', isFailure: true })
    say((await copyText(url)) ? { text: words.copied } : { text: words.failed, isFailure: true })
  }

  return (
    <>
      <Button
        className={classes.copy}
        disabled={disabled}
        {...without}
        leftSection={isCopied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
        onClick={() => void copy()}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
      {url === undefined || disabled ? (
        <Button
          className={classes.open}
          variant="default"
          disabled={disabled}
          {...without}
          leftSection={<IconExternalLink size={18} aria-hidden />}
          onClick={() => say({ text: 'No URL to open', isFailure: true })}
        >
          {words.open}
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
          {words.open}
        </Button>
      )}
    </>
  )
}
