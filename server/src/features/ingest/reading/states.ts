import { readBoolean } from './flags.ts'
import { cellText } from './text.ts'

const over =
  /^(?:expired|ended|over|finished|closed|inactive|cancelled|canceled|suppressed|sold[ _-]?out|(?:fully )?claimed|wait ?list ?full|unavailable|out of stock|deleted|removed|archived|dead|gone|stopped|abgelaufen|beendet|ausverkauft|expiree?|terminee?|caducad[oa]|expirad[oa]|encerrad[oa]|scadut[oa]|verlopen)$/i
const running =
  /^(?:available|active|live|open|ongoing|running|on|current|valid|approved|published|ok|new|in stock|upcoming|scheduled|pending|wait ?list|aktiv|laufend|en cours|activ[oa]|ativ[oa]|attiv[oa])$/i

/** Whether a state of a deal means that it is over; null for a text that is no state. */
export function readState(value: unknown): boolean | null {
  const text = cellText(value)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[\s_-]+/g, ' ')
    .trim()
  if (text === '' || text.length > 40) return null
  if (over.test(text) || /^(?:deal|offer|listing)? ?(?:has |is )?(?:expired|ended|over)$/i.test(text))
    return true
  return running.test(text) ? false : null
}

/** Names of columns whose yes means that it is over, and of those whose yes means that it isn't. */
const asksForEnd = /expired|over|ended|sold/i
const asksForLife = /active|live/i

/** How to read a cell of a column of states: a word for one, or a yes or no to what the column's name asks. */
export function stateReader(columnName: string): (value: unknown) => boolean | null {
  const isOverByYes = asksForEnd.test(columnName)
  const takesFlags = isOverByYes || asksForLife.test(columnName)
  return (value) => {
    const flag = takesFlags ? readBoolean(value) : null
    return flag === null ? readState(value) : flag === isOverByYes
  }
}
