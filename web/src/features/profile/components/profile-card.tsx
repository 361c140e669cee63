import type { Session } from '@dealdeck/contract/session'
import { Button } from '@mantine/core'
import { IconCheck, IconPencil } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { profileStore } from '../api.ts'
import type { Profile } from '../view/profile.ts'
import { Panel } from './panel.tsx'
import classes from './profile-card.module.css'
import { ProfileForm } from './profile-form.tsx'

const feedbackMs = 3_000

type ProfileCardProps = { session: Session; profile: Profile }

/** What somebody says of themselves: to read, and to edit. It never leaves the device. */
export function ProfileCard({ session, profile }: ProfileCardProps) {
  const [editing, setEditing] = useState(false)
  const [feedback, setFeedback] = useState<string>()
  const edit = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)

  useEffect(() => {
    if (feedback === undefined) return
    const timer = setTimeout(() => setFeedback(undefined), feedbackMs)
    return () => clearTimeout(timer)
  }, [feedback])

  // The form that had the focus is gone.
  useEffect(() => {
    if (wasEditing.current && !editing) edit.current?.focus()
    wasEditing.current = editing
  }, [editing])

  function save(next: Profile) {
    const isKept = profileStore(session.id).set(next)
    setEditing(false)
    setFeedback(isKept ? 'Profile saved' : 'Saved until you close this page: the device keeps no more')
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
              setFeedback(undefined)
              setEditing(true)
            }}
          >
            Edit profile
          </Button>
        )
      }
    >
      <p className={classes.feedback} role="status">
        {feedback && (
          <>
            <IconCheck size={18} aria-hidden /> {feedback}
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
