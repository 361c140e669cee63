import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { leaveAddress, sessionChangedElsewhere, sessionEnded, sessionQuery } from '../features/session/api.ts'
import { LoginScreen } from '../features/session/login-screen.tsx'
import { deviceKeys } from '../platform/device-keys.ts'
import { settingsQuery } from '../platform/money.ts'
import { readSessionHint } from '../platform/session-hint.ts'
import { onSessionLost } from '../platform/session-signal.ts'
import { LoadingScreen } from './loading-screen.tsx'
import { Preloadable, preloadableComponent } from './preloadable-component.tsx'

export const screens = preloadableComponent(async () => (await import('./screens.tsx')).Screens)

/**
 * Shows 'Loading...' while the session is confirmed, then the screens, or the login screen when nobody is signed in.
 * The address stays as it is, so signing in leads to where one wanted to go.
 */
export function SessionGate() {
  const queryClient = useQueryClient()
  const confirmed = useQuery(sessionQuery)
  const settings = useQuery(settingsQuery)
  const [hint, setHint] = useState(readSessionHint)

  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (event.key === deviceKeys.signedOut) leaveAddress(false)
      if (event.key !== deviceKeys.session && event.key !== null) return
      setHint(readSessionHint())
      sessionChangedElsewhere(queryClient)
    }
    const stop = onSessionLost(() => sessionEnded(queryClient))
    window.addEventListener('storage', onStorage)
    return () => {
      stop()
      window.removeEventListener('storage', onStorage)
    }
  }, [queryClient])

  // While an attempt after a failed one is under way, what is on the screen stays.
  const isUnknown = [confirmed, settings].some((query) => query.isPending && query.errorUpdateCount === 0)
  if (isUnknown) return <LoadingScreen />

  // The server can't be reached: what was on the screen stays, without any right that would need it.
  const session = confirmed.data === undefined && hint ? { ...hint, role: 'user' as const } : confirmed.data
  if (!session) return <LoginScreen />
  // The state of a screen goes with the account.
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Preloadable key={session.id} of={screens} props={{ session }} />
    </Suspense>
  )
}
