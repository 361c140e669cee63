import type { Session } from '@dealdeck/contract/session'
import { createContext, useContext } from 'react'

type SessionPlace = {
  session: Session
  /** Opens the question whether to sign out. */
  askToSignOut: () => void
}

const SessionContext = createContext<SessionPlace | null>(null)

/** Filled by the session gate, below which somebody is always signed in. */
export const SessionProvider = SessionContext.Provider

function usePlace(): SessionPlace {
  const place = useContext(SessionContext)
  if (place === null) throw new Error('The session is used outside the session gate')
  return place
}

/** Who is signed in. Throws outside the session gate. */
export function useSession(): Session {
  return usePlace().session
}

/** The function that asks whether to sign out, and does it. Throws outside the session gate. */
export function useSignOut(): () => void {
  return usePlace().askToSignOut
}
