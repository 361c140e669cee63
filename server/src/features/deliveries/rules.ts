import type { AuditState } from '@dealdeck/contract/audit'
import type { Destination, DestinationDescription, DestinationState } from '@dealdeck/contract/deliveries'
import { AppError } from '../../platform/errors.ts'

/** The same of one that isn't there and of somebody else's, so that nobody learns which there are. */
export const destinationGone = () => new AppError('NOT_FOUND', 'This destination no longer exists.')
export const deliveryGone = () => new AppError('NOT_FOUND', 'This message is not in the log.')

export const destinationChanged = () =>
  new AppError('CONFLICT', 'This destination was changed elsewhere in the meantime. Look at it again.')

export const samePlace = (name: string) =>
  new AppError(
    'CONFLICT',
    `‘${name}’ goes to the very same place. Another one would bring each message twice.`,
  )

export function tooManyDestinations(most: number, isGroup: boolean): AppError {
  const whose = isGroup ? 'The group has' : 'You have'
  return new AppError(
    'CONFLICT',
    `${whose} ${most} destinations, and no room for more. Remove one of them first.`,
  )
}

export const onlyAdministrators = () =>
  new AppError('FORBIDDEN', 'Only administrators set up what belongs to the group.')

type Described = {
  kind: string
  name: string
  settings: Record<string, unknown>
  secret_names: readonly string[]
  affiliate_tag: string
  disclosure: string
  is_paused: boolean
}

/** What of a destination the audit list has: never a value of its settings, which may say where somebody is reached. */
export function auditState(destination: Described): AuditState {
  const { kind, name, settings, secret_names, affiliate_tag, disclosure, is_paused } = destination
  return {
    ...{ kind, name, affiliate_tag, disclosure, is_paused },
    settings: Object.keys(settings).sort().join(', '),
    keys: [...secret_names].sort().join(', '),
  }
}

type Stated = {
  state: DestinationState
  /** What was stored with it. */
  text: string
  confirmedBy: DestinationDescription['confirmed_by']
  /** Whether a code is there that can still be used. */
  hasCode: boolean
  hasSent: boolean
}

/** The state of a destination in words: what is wrong, and what to do. */
export function stateText({ state, text, confirmedBy, hasCode, hasSent }: Stated): string {
  switch (state) {
    case 'ok':
      return text || (hasSent ? 'The last message arrived.' : 'Nothing has been sent there yet.')
    case 'paused':
      return text === ''
        ? 'It is paused: nothing is sent there.'
        : `${text} Nothing is sent there until it is resumed.`
    case 'unconfirmed':
      if (text !== '') return text
      if (!hasCode) return 'Nothing is sent there yet: its code is over. Ask for a new one.'
      return confirmedBy === 'link'
        ? 'Nothing is sent there yet: send the code to the bot.'
        : 'Nothing is sent there yet: enter the code that was sent there.'
    case 'failing':
      return text || 'The last message could not be sent. It is tried again.'
    case 'gone':
      return text || 'The service says that it is not there any more. Set it up anew.'
  }
}

/** What is said of a destination's state: being paused counts before what happened. */
export const shownState = ({
  is_paused,
  state,
}: Pick<Destination, 'is_paused' | 'state'>): DestinationState =>
  is_paused && state !== 'unconfirmed' && state !== 'gone' ? 'paused' : state

/** How often a member may do what sends something: so many times within so many seconds, which begin with the first. */
export const paces = {
  code: { most: 5, seconds: 3_600, text: 'You have asked for five codes within an hour. Please wait.' },
  test: { most: 5, seconds: 60, text: 'You have sent five tests within a minute. Please wait a moment.' },
  // With a destination goes what it was told: added and removed again and again, it would be told the same each time.
  destination: {
    most: 40,
    seconds: 3_600,
    text: 'You have added forty destinations within an hour. Please wait.',
  },
  replay: { most: 10, seconds: 60, text: 'You have sent ten messages again within a minute. Please wait.' },
} as const
export type Paced = keyof typeof paces
