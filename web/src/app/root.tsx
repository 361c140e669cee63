import { Outlet } from '@tanstack/react-router'
import { Shell } from './shell.tsx'

/** Every address of somebody who is signed in. */
export function Root() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  )
}
