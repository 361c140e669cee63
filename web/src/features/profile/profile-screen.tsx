import '@mantine/core/styles/Tabs.layer.css'
import { Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useSession } from '../../platform/session.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { useOwnProfile } from './api.ts'
import { PasswordForm } from './components/password-form.tsx'
import { PreferencesForm } from './components/preferences-form.tsx'
import { ProfileCard } from './components/profile-card.tsx'
import { SessionList } from './components/session-list.tsx'
import classes from './profile-screen.module.css'
import { displayName, profileTabs, tabLabels } from './view.ts'

const route = getRouteApi('/profile')

/** Who one is, what one prefers, and where one is signed in. */
export function ProfileScreen() {
  const { tab = 'profile' } = route.useSearch()
  const navigate = route.useNavigate()
  const session = useSession()
  const profile = useOwnProfile(session)
  return (
    <div className={classes.screen}>
      <header className={classes.head}>
        <Avatar name={displayName(profile)} picture={profile.avatar} size="lg" />
        <div className={classes.who}>
          <h1 className={classes.title}>{displayName(profile)}</h1>
          <p className={classes.account}>
            {`Signed in as ${session.username}`}
            {session.role === 'admin' && <span className={classes.role}>Administrator</span>}
          </p>
        </div>
      </header>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => {
          const next = profileTabs.find((known) => known === value)
          void navigate({ search: { tab: next === 'profile' ? undefined : next }, resetScroll: false })
        }}
      >
        <Tabs.List className={classes.list} aria-label="Profile">
          {profileTabs.map((known) => (
            <Tabs.Tab key={known} value={known} className={classes.tab}>
              {tabLabels[known]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} className={classes.panel}>
          {tab === 'profile' && <ProfileCard session={session} profile={profile} />}
          {tab === 'preferences' && <PreferencesForm />}
          {tab === 'security' && (
            <>
              <PasswordForm username={session.username} />
              <SessionList />
            </>
          )}
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}
