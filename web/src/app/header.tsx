import { ActionIcon, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconLogout, IconMenu2, IconX } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useOwnProfile } from '../features/profile/api.ts'
import { displayName } from '../features/profile/view/profile.ts'
import { setPreferences, usePreferences } from '../platform/preferences.ts'
import { useSession, useSignOut } from '../platform/session.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Brand } from '../ui/brand.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import spoken from '../ui/unseen.module.css'
import classes from './header.module.css'
import { homePath, type Place, placesFor } from './navigation.ts'
import { SourceNote } from './source-note.tsx'

/** Name, navigation, theme and sign-out: in a row on a desktop, behind a hamburger on a phone. */
export function Header() {
  const places = placesFor(useSession())
  const isWide = useMediaQuery('(min-width: 72em)', undefined, { getInitialValueInEffect: false })
  const [menuOpen, setMenuOpen] = useState(false)
  const signOut = useSignOut()
  const hamburger = useRef<HTMLButtonElement>(null)
  useEscape(menuOpen, () => {
    // What had the focus goes away with the menu.
    hamburger.current?.focus()
    setMenuOpen(false)
  })

  const here = useLocation({ select: ({ pathname }) => pathname })
  const onChoose = (path: Place['path']) => {
    setMenuOpen(false)
    // On the way to another screen the router does it, once it has noted where this one stood for coming Back.
    if (path === here) window.scrollTo({ top: 0 })
  }
  const onSignOut = () => {
    // The button that was pressed goes away with the menu; the focus comes back to the hamburger instead.
    hamburger.current?.focus()
    setMenuOpen(false)
    signOut()
  }
  // On a desktop one's own name leads to the profile.
  const inBar = places.filter((place) => place.path !== '/profile')
  const navigation = <Navigation places={isWide ? inBar : places} here={here} onChoose={onChoose} />
  const account = <Account isLinked={isWide} onProfile={() => onChoose('/profile')} onSignOut={onSignOut} />

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
        {isWide ? (
          <>
            {navigation}
            {account}
          </>
        ) : (
          <ActionIcon
            ref={hamburger}
            className={classes.hamburger}
            variant="subtle"
            color="gray"
            size={44}
            aria-label={menuOpen ? 'Close menu' : 'Open menu'}
            aria-expanded={menuOpen}
            aria-controls="menu"
            onClick={() => setMenuOpen(!menuOpen)}
          >
            {menuOpen ? <IconX size={24} aria-hidden /> : <IconMenu2 size={24} aria-hidden />}
          </ActionIcon>
        )}
      </div>
      {!isWide && (
        <div id="menu" className={classes.menu} hidden={!menuOpen}>
          {navigation}
          {account}
        </div>
      )}
    </header>
  )
}

type NavigationProps = { places: Place[]; here: string; onChoose: (path: Place['path']) => void }

function Navigation({ places, here, onChoose }: NavigationProps) {
  return (
    <nav className={classes.nav} aria-label="Main">
      {places.map((place) => (
        <Link
          key={place.id}
          to={place.path}
          {...(place.keepsSearch && place.path === here && { search: true })}
          onClick={() => onChoose(place.path)}
          activeOptions={{ exact: true, includeSearch: false }}
          className={classes.link}
        >
          {place.label}
          {place.adminOnly && <SourceNote as="count" />}
        </Link>
      ))}
    </nav>
  )
}

type AccountProps = {
  /** Whether the name leads to the profile. */
  isLinked: boolean
  onProfile: () => void
  onSignOut: () => void
}

function Account({ isLinked, onProfile, onSignOut }: AccountProps) {
  const session = useSession()
  const profile = useOwnProfile(session)
  const { theme } = usePreferences()
  const who = (
    <>
      <Avatar name={displayName(profile)} picture={profile.avatar} size="sm" />
      <span className={spoken.unseen}>{isLinked ? `Profile of ${session.username}` : 'Signed in as'}</span>
      <span className={classes.name} aria-hidden={isLinked}>
        {session.username}
      </span>
      {session.role === 'admin' && (
        <span className={classes.role} aria-hidden={isLinked}>
          admin
        </span>
      )}
    </>
  )
  return (
    <div className={classes.account}>
      <ThemeSwitch value={theme} onChange={(choice) => setPreferences({ theme: choice })} />
      {isLinked ? (
        <Link
          to="/profile"
          className={`${classes.link} ${classes.who}`}
          activeOptions={{ includeSearch: false }}
          title="Profile"
          onClick={onProfile}
        >
          {who}
        </Link>
      ) : (
        <span className={classes.who}>{who}</span>
      )}
      <Button
        variant="default"
        size="sm"
        className={classes.signOut}
        leftSection={<IconLogout size={16} aria-hidden />}
        onClick={onSignOut}
      >
        Sign Out
      </Button>
    </div>
  )
}

function useEscape(active: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!active) return
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && onEscape()
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  })
}
