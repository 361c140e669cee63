import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readDeviceEntries } from '../platform/device-entries.ts'
import { useSession } from '../platform/session.ts'

/** How long a screen has the line for what it shows, in milliseconds. */
const patienceMs = 1_000

/**
 * What earlier versions stored on the device goes to whoever is signed in when this one comes, whatever the screen, and not
 * to the next who opens the link generator. Where that fails now, the link generator says so and tries again.
 */
export function useTakeAlong(): void {
  const queries = useQueryClient()
  const session = useSession()
  useEffect(() => {
    if (session.is_fallback || readDeviceEntries(session.id) === null) return
    const timer = setTimeout(() => {
      import('../features/links/api.ts')
        .then(({ takeAlong }) => takeAlong(queries, session))
        .catch(() => undefined)
    }, patienceMs)
    return () => clearTimeout(timer)
  }, [queries, session])
}
