import type { Session } from '@dealdeck/contract/session'
import { Button } from '@mantine/core'
import { IconCheck, IconPencil } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { profileStore } from '../api.ts'
import type { Profile } from '../view/profile.ts'
import { Panel } from './panel.tsx'
import classes from './profile-card.module.css'
import { ProfileForm } from './profile-form.tsx'

const saidForMs = 3_000

type ProfileCardProps = { session: Session; profile: Profile }

/** What somebody says of themselves: to read, and to edit. It never leaves the device. */
export function ProfileCard({ session, profile }: ProfileCardProps) {
  const [editing, setEditing] = useState(false)
  const [said, setSaid] = useState<string>()
  const edit = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)

  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => setSaid(undefined), saidForMs)
    return () => clearTimeout(timer)
  }, [said])

  // The form that had the focus is gone.
  useEffect(() => {
    if (wasEditing.current && !editing) edit.current?.focus()
    wasEditing.current = editing
  }, [editing])

  function save(next: Profile) {
    const isKept = profileStore(session.id).set(next)
    setEditing(false)
    setSaid(isKept ? 'Profile saved' : 'Saved until you close this page: the device keeps no more')
  }

  return (
    <Panel
      title="About you"
      lead="Kept on this device only. Nobody else sees it."
      action={
        !editing && (
          <Button
            ref={edit}
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => {
              setSaid(undefined)
              setEditing(true)
            }}
          >
            Edit profile
          </Button>
        )
      }
    >
      <p className={classes.said} role="status">
        {said && (
          <>
            <IconCheck size={18} aria-hidden /> {said}
          </>
        )}
      </p>
      {editing ? (
        <ProfileForm
          profile={profile}
          accountName={session.username}
          onSave={save}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <dl className={classes.facts}>
          <Fact label="Username">{profile.username}</Fact>
          <Fact label="Email">{profile.email}</Fact>
          <Fact label="First name">{profile.firstName}</Fact>
          <Fact label="Last name">{profile.lastName}</Fact>
          <Fact label="Bio" isWide>
            {profile.bio}
          </Fact>
        </dl>
      )}
    </Panel>
  )
}

function Fact({ label, isWide, children }: { label: string; isWide?: boolean; children: string }) {
  return (
    <div className={classes.fact} data-wide={isWide || undefined}>
      <dt>{label}</dt>
      <dd data-empty={children === '' || undefined}>{children || 'Not given'}</dd>
    </div>
  )
}
