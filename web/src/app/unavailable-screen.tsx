import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { deviceKeys } from '../platform/device-keys.ts'
import { answers, retryWhileFailedMs } from '../platform/recovery.ts'
import { Notice } from '../ui/notice.tsx'
import type { ScreenUnavailable } from './screen-component.ts'

type UnavailableScreenProps = {
  error: ScreenUnavailable
  /** The screen is here. */
  onLoaded: () => void
}

/** Is shown instead of a screen whose program can't be had, and gives way to it as soon as it can. */
export function UnavailableScreen({ error, onLoaded }: UnavailableScreenProps) {
  const [busy, setBusy] = useState(false)
  const latest = useRef(onLoaded)
  latest.current = onLoaded

  async function tryAgain() {
    if (!(await answers('/healthz'))) return
    if (await error.retry()) return latest.current()
    // The server is there and has no such file: this is the program of an older build. Once, lest it goes round and round.
    const screen = String(error.cause)
    if (sessionStorage.getItem(deviceKeys.reloadedFor) === screen) return
    sessionStorage.setItem(deviceKeys.reloadedFor, screen)
    window.location.reload()
  }

  const again = useRef(tryAgain)
  again.current = tryAgain
  useEffect(() => {
    const attempt = () => void again.current().catch(() => undefined)
    attempt()
    const timer = setInterval(attempt, retryWhileFailedMs)
    window.addEventListener('online', attempt)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', attempt)
    }
  }, [])

  return (
    <Notice
      failed
      title="This screen can’t be loaded"
      action={
        <Button
          loading={busy}
          onClick={() => {
            setBusy(true)
            void tryAgain().finally(() => setBusy(false))
          }}
        >
          Try Again
        </Button>
      }
    >
      Please check your connection. It comes by itself as soon as the server answers. Searches, links, image
      lists and a chosen file are kept.
    </Notice>
  )
}
