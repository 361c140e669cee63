import type { DealSort } from '@dealdeck/contract/deals'
import { mostFeeds, mostSearches, mostShared, mostSharedByMember } from '@dealdeck/contract/searches'
import { parseQuestion } from '@dealdeck/query/parsing'
import { printQuestion } from '@dealdeck/query/printing'
import { asksForHidden, type Condition } from '@dealdeck/query/question'
import { AppError } from '../../platform/errors.ts'

/** For so long a removed search can be brought back, in hours. */
export const restorableHours = 24

/** A question as it is stored: in its one form, its sort beside it. */
export type StoredQuestion = { question: string; sort: DealSort | null }

/**
 * What is stored of a question as somebody typed it; a sort that is given counts before the question's own. Throws UNPROCESSABLE
 * where part of it can't be understood: another question would be saved than the one on screen.
 */
export function storedQuestion(
  text: string,
  sort: DealSort | null | undefined,
  isAdministrator: boolean,
): StoredQuestion {
  const { question, problems } = parseQuestion(text, { isAdministrator })
  const fault = problems.find(({ severity }) => severity === 'error')
  if (fault) throw new AppError('UNPROCESSABLE', fault.message, { fields: { q: fault.message } })
  return {
    question: printQuestion({ condition: question.condition, sort: null }),
    sort: sort ?? question.sort,
  }
}

/**
 * The condition of a stored question as every member may ask it; undefined where it asks for hidden deals, of which nothing is
 * counted and no feed tells, whoever has saved it.
 */
export function openCondition(question: string): Condition | null | undefined {
  const { condition } = parseQuestion(question, { isAdministrator: true }).question
  return asksForHidden(condition) ? undefined : condition
}

/** Why a member who has so many searches can't have one more, or null. */
export function searchesRefusal(count: number): AppError | null {
  if (count < mostSearches) return null
  return new AppError(
    'CONFLICT',
    `You have ${mostSearches} saved searches, and no room for more. Remove some first.`,
  )
}

/** Why one more can't be shared, where a member shares so many and the group has so many. */
export function sharingRefusal(own: number, all: number): AppError | null {
  if (own >= mostSharedByMember)
    return new AppError(
      'CONFLICT',
      `You share ${mostSharedByMember} searches already. Stop sharing one first.`,
    )
  if (all >= mostShared)
    return new AppError('CONFLICT', `The group has ${mostShared} shared searches, and no room for more.`)
  return null
}

export function feedsRefusal(count: number): AppError | null {
  if (count < mostFeeds) return null
  return new AppError('CONFLICT', `You have ${mostFeeds} addresses of feeds. Remove some first.`)
}

export const searchGone = () =>
  new AppError('NOT_FOUND', 'This search is gone. It was removed, or is not shared any more.')

export function searchChanged(): AppError {
  const message = 'This search was changed elsewhere in the meantime. Look at it again before you change it.'
  return new AppError('CONFLICT', message, { fields: { expected_updated_at: message } })
}
