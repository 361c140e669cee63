import type { DealCondition } from '@dealdeck/contract/deals'
import { cellText, cleanText } from './text.ts'

const brandLimit = 100
const stepLimit = 80
const mostSteps = 10
/** What is longer than this describes something and doesn't name it. */
const nameLimit = 1_000

const isAddress = /^(?:https?:)?\/\/\S/i
const meansSomething = /[\p{L}\p{N}]/u

/** `Brand: Acme` and the line under a title, `Visit the Acme Store`. */
const brandLines = [/^brand\s*[:：]\s*(.+)$/i, /^visit the (.+) store$/i]

/** Whose product it is, from a cell of its own; null where that says nothing. */
export function readBrand(value: unknown): string | null {
  const text = nameIn(value, brandLimit)
  if (text === null) return null
  for (const line of brandLines) {
    const brand = line.exec(text)?.[1]?.trim()
    if (brand) return brand
  }
  return text
}

/**
 * A category as one path with ` > ` between its steps: from a list, from `A|B|C`, `A > B`, `A › B` and from JSON in a cell.
 * Null where it says nothing.
 */
export function readCategory(value: unknown): string | null {
  const text = cellText(value)
  if (text === '' || text.length > nameLimit * 4 || isAddress.test(text)) return null
  const steps = stepsOf(text).map((step) => cleanText(step, stepLimit))
  const named = steps.filter((step, at) => meansSomething.test(step) && step !== steps[at - 1])
  return named.length === 0 ? null : named.slice(0, mostSteps).join(' > ')
}

function stepsOf(text: string): string[] {
  if (text.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(text)
      if (Array.isArray(list)) return list.map(cellText)
    } catch {
      // A title in brackets, or a list in another language's notation: its signs are no steps.
    }
  }
  return text.split(/\n|\||›|»|(?<=\s)\/(?=\s)|&gt;|>/)
}

// Looked for in this order: a renewed one is also said to be used, and 'like new' is used.
const conditions: [DealCondition, RegExp][] = [
  [
    'renewed',
    /renewed|refurb|recondition|restored|generalüberholt|reconditionné|reacondicionado|recondicionado|ricondizionato|整備済|再生品/i,
  ],
  [
    'used',
    /\bused\b|usedcondition|pre-?owned|second-?hand|open[ -]box|like[ -]new|very good|acceptable|damaged|gebraucht|d['’]occasion|\boccasion\b|usado|usato|używan|begagnad|中古/i,
  ],
  [
    'new',
    /\bnew\b|newcondition|\bneu\b|\bneuf\b|\bnuevo\b|\bnovo\b|\bnuovo\b|\bnieuw\b|\bnowy\b|\bny\b|新品|全新/i,
  ],
]

/** What a condition is said not to be: `not new`, `non-refurbished`. */
const denied =
  /(?<!\p{L})(?:not|non|never|isn['’]?t|nicht|keine?|pas|no|não|nao|niet|nie|inte|ikke|ej)[\s-]+\p{L}+/giu

/** Whether something is new, renewed or used; null where a cell doesn't say, or says something else. */
export function readCondition(value: unknown): DealCondition | null {
  const text = nameIn(cellText(value).replace(/^https?:\/\/schema\.org\//i, ''), brandLimit)
  if (text === null) return null
  const stated = text.replace(denied, ' ')
  return conditions.find(([, words]) => words.test(stated))?.[0] ?? null
}

function nameIn(value: unknown, limit: number): string | null {
  const raw = cellText(value)
  if (raw === '' || raw.length > nameLimit || isAddress.test(raw)) return null
  const text = cleanText(raw, limit)
  return meansSomething.test(text) ? text : null
}
