import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import type { Problems } from '../../../ui/typed-settings.ts'

/** Why a source wasn't saved. `conflict`: somebody else changed it meanwhile; `gone`: somebody else removed it. */
export type Refusal = { text: string; fields: Problems; what: 'conflict' | 'gone' | 'other' }

/** What to say of a save that failed; what is about a field that the form has is said there. */
export function refusalOf(error: unknown, isNew: boolean, isFormField: (name: string) => boolean): Refusal {
  if (!(error instanceof ApiError))
    return { text: `Not saved. ${errorMessage(error)}`, fields: {}, what: 'other' }
  const entries = Object.entries(error.fields).map(([name, text]): [string, string] => [
    // A secret is a field of the form like any other.
    name.replace(/^secrets\./, 'settings.').replace(/^(settings\.[^.]+|may_leave)\..*$/, '$1'),
    text.charAt(0).toUpperCase() + text.slice(1),
  ])
  const fields = Object.fromEntries(entries.filter(([name]) => isFormField(name)))
  const others = entries.filter(([name]) => !isFormField(name)).map(([name, text]) => `${name}: ${text}`)
  const isAllSaid = Object.keys(fields).length > 0 && others.length === 0
  const text = isAllSaid ? '' : [`Not saved. ${error.message}`, ...others].join(' ')
  if (!isNew && error.code === 'NOT_FOUND') return { text: goneText, fields, what: 'gone' }
  const isOutdated =
    error.status === 409 && Object.keys(error.fields).every((name) => name === 'expected_updated_at')
  if (!isNew && isOutdated) return { text: conflictText, fields, what: 'conflict' }
  return { text, fields, what: 'other' }
}

const goneText = 'Somebody else removed this source. What you typed is still here: it can be added again.'
const conflictText =
  'Somebody else changed this source meanwhile. What you typed is still here: save it over theirs, field by field, or leave it.'
