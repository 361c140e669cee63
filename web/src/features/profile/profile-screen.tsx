import { getRouteApi } from '@tanstack/react-router'
import { useSession } from '../../platform/session.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { TabRow } from '../../ui/tab-row.tsx'
import { useOwnProfile } from './api.ts'
import { PasswordForm } from './components/password-form.tsx'
import { PreferencesForm } from './components/preferences-form.tsx'
import { ProfileCard } from './components/profile-card.tsx'
import { SessionList } from './components/session-list.tsx'
import tag from './components/tag.module.css'
import classes from './profile-screen.module.css'
import { displayName } from './view/profile.ts'
import { profileTabs } from './view/search.ts'
import { tabLabels } from './view.ts'

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
            {session.role === 'admin' && <span className={tag.tag}>Administrator</span>}
          </p>
        </div>
      </header>
      <TabRow
        label="Profile"
        tabs={profileTabs}
        chosen={tab}
        face={(known) => tabLabels[known]}
        onChoose={(next) =>
          void navigate({ search: { tab: next === 'profile' ? undefined : next }, resetScroll: false })
        }
      >
        <div className={classes.panels}>
          {tab === 'profile' && <ProfileCard session={session} profile={profile} />}
          {tab === 'preferences' && <PreferencesForm />}
          {tab === 'security' && (
            <>
              <PasswordForm username={session.username} />
              <SessionList />
            </>
          )}
        </div>
      </TabRow>
    </div>
  )
}
