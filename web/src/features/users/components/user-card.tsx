import type { UserRecord } from '@dealdeck/contract/users'
import { Button, Switch } from '@mantine/core'
import { IconCheck, IconChevronDown, IconPencil, IconTrash, IconX } from '@tabler/icons-react'
import { useId } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { badgesOf, roleLabels, type Switching, sessionsLine, statusLabels } from '../view.ts'
import classes from './user-card.module.css'

export type UserProps = {
  user: UserRecord
  /** Whether it is the administrator's own account. */
  isSelf: boolean
  /** The server is being asked for a change of this user. */
  isBusy: boolean
  /** Why the last change didn't happen. */
  problem: string | undefined
  shop: Pick<Marketplace, 'ago' | 'exactTime' | 'number'>
  onSwitch: (how: Switching) => void
  onEdit: () => void
  onDelete: () => void
}

type UserCardProps = UserProps & { isOpen: boolean; onToggle: () => void }

/** An account in a line; a click opens what is known of it and what can be done. */
export function UserCard(props: UserCardProps) {
  const { user, isSelf, isOpen, shop, onToggle } = props
  const id = useId()
  return (
    <article className={classes.card} data-open={isOpen || undefined} aria-labelledby={`${id}-name`}>
      <h2 className={classes.heading}>
        <button
          type="button"
          className={classes.head}
          aria-expanded={isOpen}
          aria-controls={`${id}-body`}
          onClick={onToggle}
        >
          <Avatar name={user.username} />
          <span className={classes.who}>
            <span id={`${id}-name`} className={classes.name} title={user.username}>
              {user.username}
            </span>
            <span className={classes.seen}>
              {signInLine(user, shop)}
              {user.live_sessions > 0 && (
                <span className={classes.live}>{sessionsLine(user.live_sessions, shop.number)}</span>
              )}
            </span>
          </span>
          <span className={classes.badges}>
            {isSelf && (
              <span className={classes.badge} data-tone="quiet">
                You
              </span>
            )}
            {badgesOf(user).map(({ text, tone }) => (
              <span key={text} className={classes.badge} data-tone={tone}>
                {text}
              </span>
            ))}
          </span>
          <IconChevronDown size={18} className={classes.chevron} aria-hidden />
        </button>
      </h2>
      {isOpen && (
        <div id={`${id}-body`} className={classes.body}>
          <Facts user={user} shop={shop} />
          <Actions {...props} />
        </div>
      )}
    </article>
  )
}

function Facts({ user, shop }: Pick<UserProps, 'user' | 'shop'>) {
  const signedIn = user.last_sign_in_at
  return (
    <dl className={classes.facts}>
      <Fact label="Role">{roleLabels[user.role]}</Fact>
      <Fact label="Status">{statusLabels[user.status]}</Fact>
      <Fact label="Created" title={user.created_at}>
        {shop.exactTime(user.created_at)}
      </Fact>
      <Fact label="Last sign-in" title={signedIn ?? undefined}>
        {signedIn === null ? 'Never' : shop.exactTime(signedIn)}
      </Fact>
      <Fact label="Signed in now">{sessionsLine(user.live_sessions, shop.number)}</Fact>
    </dl>
  )
}

function Fact({ label, title, children }: { label: string; title?: string | undefined; children: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd title={title}>{children}</dd>
    </div>
  )
}

function Actions({ user, isBusy, problem, onSwitch, onEdit, onDelete }: UserProps) {
  return (
    <>
      <div className={classes.actions} aria-busy={isBusy}>
        <Switch
          className={classes.active}
          label={user.is_active ? 'Active' : 'Inactive'}
          aria-label={`${user.username} is active`}
          data-active-of={user.id}
          checked={user.is_active}
          onChange={() => onSwitch(user.is_active ? 'deactivate' : 'activate')}
        />
        {user.status !== 'approved' && (
          <Button
            size="sm"
            leftSection={<IconCheck size={16} aria-hidden />}
            aria-label={`Approve ${user.username}`}
            onClick={() => onSwitch('approve')}
          >
            Approve
          </Button>
        )}
        {user.status !== 'rejected' && (
          <Button
            size="sm"
            variant="default"
            leftSection={<IconX size={16} aria-hidden />}
            aria-label={`Reject ${user.username}`}
            onClick={() => onSwitch('reject')}
          >
            Reject
          </Button>
        )}
        <Button
          size="sm"
          variant="default"
          leftSection={<IconPencil size={16} aria-hidden />}
          aria-label={`Edit ${user.username}`}
          onClick={onEdit}
        >
          Edit
        </Button>
        <Button
          size="sm"
          variant="default"
          className={classes.delete}
          leftSection={<IconTrash size={16} aria-hidden />}
          aria-label={`Delete ${user.username}`}
          onClick={onDelete}
        >
          Delete
        </Button>
      </div>
      <p className={classes.problem} role="alert">
        {problem}
      </p>
    </>
  )
}

function signInLine(user: UserRecord, shop: Pick<Marketplace, 'ago'>): string {
  // A built-in account while the database is away: nobody can tell.
  if (user.id < 0) return 'Built-in account'
  return user.last_sign_in_at === null ? 'Never signed in' : `Signed in ${shop.ago(user.last_sign_in_at)}`
}
