import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { sessionChangedElsewhere, sessionEnded, sessionQuery } from '../features/session/api.ts'
import { settingsQuery } from '../platform/money.ts'
import { SessionProvider } from '../platform/session.ts'
import { readSessionHint, sessionHintKey } from '../platform/session-hint.ts'
import { onSessionLost } from '../platform/session-signal.ts'
import { LoadingScreen } from './loading-screen.tsx'
import { SignOutDialog } from './sign-out-dialog.tsx'

const loadLoginScreen = () => import('../features/session/login-screen.tsx')
const LoginScreen = lazy(async () => ({ default: (await loadLoginScreen()).LoginScreen }))

// Nobody was signed in here last, so the login screen is fetched while the server is asked.
if (readSessionHint() === null) void loadLoginScreen()

/**
 * Shows 'Loading...' while the session is confirmed, then its content, or the login screen when nobody is signed in.
 * The address stays as it is, so signing in leads to where one wanted to go.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const confirmed = useQuery(sessionQuery)
  const settings = useQuery(settingsQuery)
  const [hint] = useState(readSessionHint)
  /** 'leaving': the server is asked to end the session, so nothing may go on asking for more. */
  const [signOut, setSignOut] = useState<'no' | 'asked' | 'leaving'>('no')

  const close = () => setSignOut('no')

  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (event.key === sessionHintKey || event.key === null) sessionChangedElsewhere(queryClient)
    }
    const stop = onSessionLost(() => sessionEnded(queryClient))
    window.addEventListener('storage', onStorage)
    return () => {
      stop()
      window.removeEventListener('storage', onStorage)
    }
  }, [queryClient])

  if (confirmed.isPending || settings.isPending) return <LoadingScreen />

  // The server can't be reached: what was on the screen stays, without any right that would need it.
  const session = confirmed.data === undefined && hint ? { ...hint, role: 'user' as const } : confirmed.data
  if (session) {
    return (
      <SessionProvider value={{ session, askToSignOut: () => setSignOut('asked') }}>
        {signOut === 'leaving' ? <LoadingScreen /> : children}
        {signOut !== 'no' && (
          <SignOutDialog onLeaving={(leaving) => setSignOut(leaving ? 'leaving' : 'asked')} onClose={close} />
        )}
      </SessionProvider>
    )
  }
  return (
    <Suspense fallback={<LoadingScreen />}>
      <LoginScreen />
    </Suspense>
  )
}
