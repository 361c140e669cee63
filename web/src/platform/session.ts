import type { Session } from '@dealdeck/contract/session'
import { createContext, useContext } from 'react'

const SessionContext = createContext<Session | null>(null)

/** Filled by the session gate, below which somebody is always signed in. */
export const SessionProvider = SessionContext.Provider

/** Who is signed in. Throws outside the session gate. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('useSession is used outside the session gate')
  return session
}
