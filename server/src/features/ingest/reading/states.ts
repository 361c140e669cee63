import { readBoolean } from './flags.ts'
import { cellText } from './text.ts'

const over =
  /^(?:expired|ended|over|finished|closed|past|elapsed|inactive|disabled|deactivated|cancelled|canceled|suppressed|sold[ _-]?out|(?:fully |100 ?% ?)?claimed|wait ?list ?full|unavailable|out of stock|oos|deleted|removed|archived|dead|gone|stopped|paused|suspended|terminated|withdrawn|delisted|unpublished|abgelaufen|beendet|ausverkauft|expiree?|terminee?|caducad[oa]|expirad[oa]|encerrad[oa]|scadut[oa]|verlopen)$/i
const running =
  /^(?:available|active|live|open|ongoing|running|on|current|valid|approved|published|ok|new|in stock|upcoming|scheduled|pending|\d\d? ?% ?claimed|wait ?list|aktiv|laufend|en cours|activ[oa]|ativ[oa]|attiv[oa])$/i
const negation =
  /^(?:not|no longer|no more|non|nicht(?: mehr)?|never|isnt|plus|pas|nao|no|ya no|ikke|inte|niet)[ -]+/i
/** `Expired on Nov 5`, `Ended 2 hours ago`. */
const since = /^(.+?) (?:on|at|since|yesterday|today|ago|\d).*$/i
const subject =
  /^(?:this |the )?(?:deal|offer|listing|promotion|sale)? ?(?:stat(?:us|e) ?)?(?:has |is |was |already |currently |still |now )*/i
const time = /(?: (?:now|deal|offer))+$/i
/** What stands around a state for its looks, and what more is said of it in brackets. */
const decoration = /\s*[([].*$|[^\p{L}\p{N}%]+/gu

const [longestState, longestText] = [40, 100]

/** Whether a state of a deal means that it is over; null for a text that is no state. */
export function readState(value: unknown): boolean | null {
  const cell = cellText(value)
  // Most rows say nothing.
  if (cell === '') return null
  const text = cell
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .slice(0, longestText)
    .replace(decoration, ' ')
    .trim()
  if (text === '' || text.length > longestState) return null
  return stateIn(text) ?? stateIn(text.replace(subject, '').replace(time, ''))
}

function stateIn(text: string): boolean | null {
  const positive = text.replace(negation, '')
  if (positive !== text) {
    const state = stateIn(positive)
    return state === null ? null : !state
  }
  if (over.test(text)) return true
  if (running.test(text)) return false
  const begun = since.exec(text)?.[1]
  return begun !== undefined && over.test(begun) ? true : null
}

/** Words of a column's name that ask and don't say for what. */
const asking = /^(?:is|has|was|deal|offer|item|product|listing|currently|flag|status|state)$/

/** How to read a cell of a column of states: a word for one, or a yes or no to what the column's name asks (`is_active`). */
export function stateReader(columnName: string): (value: unknown) => boolean | null {
  const words =
    columnName
      .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
      .toLowerCase()
      .match(/[^.]*$/)?.[0] ?? ''
  const asked = words
    .split(/[^\p{L}]+/u)
    .filter((word) => !asking.test(word))
    .join(' ')
  const isOverByYes = readState(asked)
  return (value) => {
    const flag = isOverByYes === null ? null : readBoolean(value)
    return flag === null ? readState(value) : flag === isOverByYes
  }
}
