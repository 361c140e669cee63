import { Button, Switch } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { Avatar } from '../../../ui/avatar.tsx'
import { roleLabels, statusLabels } from '../view.ts'
import badges from './user-card.module.css'
import type { UserProps } from './user-card.tsx'
import classes from './user-table.module.css'
import type { RowPlace } from './user-table.tsx'

const tones = { pending: 'warning', rejected: 'danger', approved: undefined }

/** An account in a row, with all that can be done with it. */
export function UserRow({
  user,
  isSelf,
  isBusy,
  problem,
  shop,
  place,
  ...on
}: UserProps & { place: RowPlace }) {
  const { username, status } = user
  const signedIn = user.last_sign_in_at
  return (
    <tr {...place} className={classes.row} data-inactive={!user.is_active || undefined}>
      <th scope="row">
        <div className={classes.who}>
          <Avatar name={username} size="sm" />
          <span className={classes.name} title={username}>
            {username}
          </span>
          {isSelf && (
            <span className={badges.badge} data-tone="quiet">
              You
            </span>
          )}
        </div>
      </th>
      <td data-role={user.role}>{roleLabels[user.role]}</td>
      <td>
        <span className={tones[status] && badges.badge} data-tone={tones[status]}>
          {statusLabels[status]}
        </span>
      </td>
      <td title={signedIn === null ? undefined : shop.exactTime(signedIn)}>
        {/* Of a built-in account while the database is away nobody can tell. */}
        {user.id < 0 ? 'Built-in' : signedIn === null ? 'Never' : shop.ago(signedIn)}
      </td>
      <td className={classes.sessions}>{shop.number(user.live_sessions)}</td>
      <td title={shop.exactTime(user.created_at)}>{shop.ago(user.created_at)}</td>
      <td>
        <Switch
          className={classes.active}
          aria-label={`${username} is active`}
          data-active-of={user.id}
          checked={user.is_active}
          onChange={() => on.onSwitch(user.is_active ? 'deactivate' : 'activate')}
        />
      </td>
      <td>
        <div className={classes.actions} aria-busy={isBusy}>
          {status !== 'approved' && (
            <Button
              size="compact-sm"
              aria-label={`Approve ${username}`}
              onClick={() => on.onSwitch('approve')}
            >
              Approve
            </Button>
          )}
          {status !== 'rejected' && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Reject ${username}`}
              onClick={() => on.onSwitch('reject')}
            >
              Reject
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Edit ${username}`}
            title="Edit"
            onClick={on.onEdit}
          >
            <IconPencil size={16} aria-hidden />
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            className={badges.delete}
            aria-label={`Delete ${username}`}
            title="Delete"
            onClick={on.onDelete}
          >
            <IconTrash size={16} aria-hidden />
          </Button>
        </div>
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      </td>
    </tr>
  )
}
