import { Outlet } from '@tanstack/react-router'
import { SessionGate } from './session-gate.tsx'
import { Shell } from './shell.tsx'

/** Every address: nobody sees anything but the login screen until signed in. */
export function Root() {
  return (
    <SessionGate>
      <Shell>
        <Outlet />
      </Shell>
    </SessionGate>
  )
}
