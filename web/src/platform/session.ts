import type { Session } from '@dealdeck/contract/session'
import { createContext, useContext } from 'react'

type SessionControls = {
  session: Session
  /** Opens the question whether to sign out. */
  askToSignOut: () => void
}

const SessionContext = createContext<SessionControls | null>(null)

/** Filled by the session gate, below which somebody is always signed in. */
export const SessionProvider = SessionContext.Provider

function useControls(): SessionControls {
  const controls = useContext(SessionContext)
  if (controls === null) throw new Error('The session is used outside the session gate')
  return controls
}

/** Who is signed in. Throws outside the session gate. */
export function useSession(): Session {
  return useControls().session
}

/** The function that asks whether to sign out, and does it. Throws outside the session gate. */
export function useSignOut(): () => void {
  return useControls().askToSignOut
}
