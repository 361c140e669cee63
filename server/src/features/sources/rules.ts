import type { AuditState } from '@dealdeck/contract/audit'
import type { Source, SourceChange, SourceState } from '@dealdeck/contract/sources'
import { timeInText } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { quarantineRules, shopRules } from '../quarantine/rules.ts'
import { baselineWithoutSizes, sizesWith } from './running/baseline.ts'

export const sourceGone = () => new AppError('NOT_FOUND', 'This source no longer exists.')
export const sourceChanged = () =>
  new AppError('CONFLICT', 'Somebody else has changed this source meanwhile. Please look at it again.')
export const nameTaken = (name: string) =>
  new AppError('CONFLICT', `There is a source with the name '${name}' already.`, {
    fields: { name: 'is taken' },
  })
export const tooMany = (most: number) =>
  new AppError('CONFLICT', `There are ${most} sources already, as many as there can be.`)

/** What of a source the audit list has: never a value of its settings, which may hold keys. */
export function auditState(source: {
  kind: string
  name: string
  settings: Record<string, unknown>
  secret_names: readonly string[]
  interval_from: number
  interval_to: number
  keeps_history: boolean
  is_paused: boolean
  may_leave: readonly string[]
  trusted_rules: readonly string[]
  refused_rules: readonly string[]
}): AuditState {
  const { kind, name, settings, secret_names, interval_from, interval_to, keeps_history, is_paused } = source
  return {
    ...{ kind, name, interval_from, interval_to, keeps_history, is_paused },
    settings: Object.keys(settings).sort().join(', '),
    keys: [...secret_names].sort().join(', '),
    may_leave: source.may_leave.join(', '),
    trusted_rules: source.trusted_rules.join(', '),
    refused_rules: source.refused_rules.join(', '),
  }
}

type DecidedRules = Pick<Source, 'trusted_rules' | 'refused_rules'>

/**
 * What is decided of rules after a change: one that is trusted is refused no longer, and the other way round. Throws INVALID_INPUT for one that
 * isn't known, or is to be both.
 */
export function changedRules(
  before: DecidedRules,
  { trusted_rules: trusted, refused_rules: refused }: Partial<DecidedRules>,
): DecidedRules {
  for (const [field, given = []] of Object.entries({ trusted_rules: trusted, refused_rules: refused })) {
    const unknown = given.find((rule) => !Object.hasOwn(quarantineRules, rule))
    if (unknown !== undefined)
      throw new AppError('INVALID_INPUT', `There is no rule '${unknown}'.`, {
        fields: { [field]: 'names a rule that is not known here' },
      })
  }
  const both = trusted?.find((rule) => refused?.includes(rule))
  if (both !== undefined)
    throw new AppError('INVALID_INPUT', `The rule '${both}' can't be trusted and always refused.`, {
      fields: { refused_rules: 'names a rule that is to be trusted' },
    })
  const without = (rules: readonly string[], others: readonly string[] = []) =>
    [...new Set(rules)].filter((rule) => !others.includes(rule)).sort()
  return {
    trusted_rules: without(trusted ?? before.trusted_rules, refused),
    refused_rules: without(refused ?? before.refused_rules, trusted),
  }
}

/** Whether rows of other shops are rows of its documents that were not, or the other way round. */
export const countsOthers = (before: DecidedRules, next: DecidedRules): boolean =>
  shopRules.some((rule) => before.trusted_rules.includes(rule) !== next.trusted_rules.includes(rule))

/** Which of the values that a change states are others than the stored ones, by name. */
export function changedSettings(
  before: Record<string, unknown>,
  given: NonNullable<SourceChange['settings']>,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(given)])
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(given[name]))
}

export type MayLeave = Source['may_leave']
const leaving = ['price', 'picture', 'title'] as const

/** What may leave the site, as a list and as switches. */
export const leavingList = (may: MayLeave): string[] => leaving.filter((name) => may[name])
export const leavingSwitches = (list: readonly string[]): MayLeave => ({
  price: list.includes('price'),
  picture: list.includes('picture'),
  title: list.includes('title'),
})

/** The state of a source in words: what the last run said, and when it is asked again. */
export function stateText(
  { state, text, next, last }: { state: SourceState; text: string; next: Date | null; last: Date | null },
  now: Date,
): string {
  const again = next === null ? '' : next <= now ? 'as soon as possible' : `at ${timeInText(next)}`
  const said = text === '' ? '' : `${/[.!?]$/.test(text) ? text : `${text}.`} `
  switch (state) {
    case 'new':
      return `It has not been asked yet. It will be ${again || 'once it is no longer paused'}.`
    case 'running':
      return 'It is being asked.'
    case 'ok':
      return `${said || (last ? `It was last asked at ${timeInText(last)}. ` : '')}It is asked again ${again}.`
    case 'waiting':
      return `${said || 'It waits for its turn. '}It is asked again ${again}.`
    case 'not_eligible':
    case 'failing':
      return `${said || 'It could not be read. '}It is tried again ${again}.`
    case 'paused':
      return 'It is paused: nobody asks it.'
  }
}

/** What is remembered of the documents of a source, as those who decide of its rows change it, in SQL. */
export const baselineSql = { withoutSizes: baselineWithoutSizes, sizesWith }
