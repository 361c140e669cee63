import { ActionIcon, Button } from '@mantine/core'
import { IconLogout, IconMenu2, IconX } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { setPreferences, usePreferences } from '../platform/preferences.ts'
import { useSession } from '../platform/session.ts'
import { Brand } from '../ui/brand.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import classes from './header.module.css'
import { homePath, type Place, placesFor } from './navigation.ts'
import { SignOutDialog } from './sign-out-dialog.tsx'

/** Name, navigation, theme and sign-out: in a row on a desktop, behind a hamburger on a phone. */
export function Header() {
  const session = useSession()
  const { theme } = usePreferences()
  const places = placesFor(session)
  const [menuOpen, setMenuOpen] = useState(false)
  const [leaving, setLeaving] = useState(false)
  useEscape(menuOpen, () => setMenuOpen(false))

  const { pathname } = useLocation()
  const onChoose = (path: Place['path']) => {
    setMenuOpen(false)
    // Another place starts at its top by itself; scrolling this one first would lose where Back returns to.
    if (path === pathname) window.scrollTo({ top: 0 })
  }
  const onSignOut = () => {
    setMenuOpen(false)
    setLeaving(true)
  }
  const themeSwitch = <ThemeSwitch value={theme} onChange={(choice) => setPreferences({ theme: choice })} />
  const who = (
    <span className={classes.who}>
      <span className={classes.hidden}>Signed in as </span>
      {session.username}
      {session.role === 'admin' && <span className={classes.role}>admin</span>}
    </span>
  )

  return (
    <header className={classes.header}>
      <div className={classes.bar}>
        <Link
          to={homePath}
          onClick={() => onChoose(homePath)}
          className={classes.home}
          aria-label="Dealdeck home"
        >
          <Brand />
        </Link>
        <nav className={classes.nav} aria-label="Main">
          <NavLinks places={places} onChoose={onChoose} />
        </nav>
        <div className={classes.tools}>
          {themeSwitch}
          {who}
          <Button
            variant="default"
            size="sm"
            leftSection={<IconLogout size={16} aria-hidden />}
            onClick={onSignOut}
          >
            Sign Out
          </Button>
        </div>
        <ActionIcon
          className={classes.hamburger}
          variant="subtle"
          color="gray"
          size={44}
          aria-label={menuOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={menuOpen}
          aria-controls="mobile-menu"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          {menuOpen ? <IconX size={24} aria-hidden /> : <IconMenu2 size={24} aria-hidden />}
        </ActionIcon>
      </div>
      <div id="mobile-menu" className={classes.menu} hidden={!menuOpen}>
        <nav className={classes.menuNav} aria-label="Main">
          <NavLinks places={places} onChoose={onChoose} />
        </nav>
        <div className={classes.menuTools}>
          {who}
          {themeSwitch}
        </div>
        <Button
          fullWidth
          size="md"
          variant="default"
          leftSection={<IconLogout size={18} aria-hidden />}
          onClick={onSignOut}
        >
          Sign Out
        </Button>
      </div>
      {leaving && <SignOutDialog onClose={() => setLeaving(false)} />}
    </header>
  )
}

function NavLinks({ places, onChoose }: { places: Place[]; onChoose: (path: Place['path']) => void }) {
  return places.map((place) => (
    <Link
      key={place.id}
      to={place.path}
      onClick={() => onChoose(place.path)}
      activeOptions={{ includeSearch: false }}
      className={classes.link}
    >
      {place.label}
    </Link>
  ))
}

function useEscape(active: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!active) return
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && onEscape()
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  })
}
