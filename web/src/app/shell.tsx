import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../platform/session.ts'
import { placesFor } from './navigation.ts'

export function Shell({ children }: { children: ReactNode }) {
  const session = useSession()
  return (
    <>
      <header>
        {placesFor(session).map((p) => (
          <Link key={p.id} to={p.path}>
            {p.label}
          </Link>
        ))}
      </header>
      <main id="main">{children}</main>
    </>
  )
}
