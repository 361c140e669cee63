import { StrictMode } from 'react'
import { LastResort } from './last-resort.tsx'
import { Providers } from './providers.tsx'
import { SessionGate } from './session-gate.tsx'

/** The whole program. Written into the page by the build too, so what it draws first depends on nothing but the session. */
export function Start() {
  return (
    <StrictMode>
      <Providers>
        <LastResort>
          <SessionGate />
        </LastResort>
      </Providers>
    </StrictMode>
  )
}
