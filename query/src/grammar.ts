import { fieldCalled, nearestField, readField } from './field-terms.ts'
import { sortNames, sorts } from './fields.ts'
import { longestQuestion, mostLevels, mostTerms } from './limits.ts'
import type { ParsedQuestion, ParsingOptions, Problem, Span, Term, Token } from './parsed.ts'
import { type Condition, combine, countTerms, negate, type Question, wordCondition } from './question.ts'
import { closingQuotes, isBlank, phraseEnd, quoteEnd, unquoted } from './quoting.ts'
import { guessAt, negationEnd, type Spoken, spokenAt } from './spoken.ts'

/** What a text means, however long that is written in full; of the text at most the first 500 characters count. */
export function readText(text: string, { isAdministrator = false }: ParsingOptions = {}): ParsedQuestion {
  return new Parser(text.slice(0, longestQuestion).toWellFormed(), isAdministrator).parse(text.length)
}

const isHyphen = (sign: string | undefined) => sign !== undefined && '-−–－'.includes(sign)
const isOpening = (sign: string | undefined) => sign === '(' || sign === '（'
const isClosing = (sign: string | undefined) => sign === ')' || sign === '）'
const fieldStart = /([\p{L}_]{1,30})(?:[:：]|(?=[<>=≤≥]))/uy
const productLink = /^https?:\/\/\S*?\/(?:dp|gp\/product|gp\/aw\/d|d)\/([A-Z0-9]{10})(?![A-Z0-9])/i

type Leaf = Pick<Term, 'condition' | 'field'>

class Parser {
  readonly #text: string
  readonly #isAdministrator: boolean
  readonly #tokens: Token[] = []
  readonly #problems: Problem[] = []
  #at = 0
  /** Terms so far, and parentheses open beyond the levels there may be. */
  #count = 0
  #ignoredOpen = 0
  #sort: Question['sort'] = null

  constructor(text: string, isAdministrator: boolean) {
    this.#text = text
    this.#isAdministrator = isAdministrator
  }

  parse(typedLength: number): ParsedQuestion {
    const terms = this.#sequence(0)
    if (typedLength > longestQuestion)
      this.#problem(
        { start: longestQuestion, end: typedLength },
        'error',
        `A question has at most ${longestQuestion} characters; the rest is left out.`,
      )
    const condition = combine('all', conditionsOf(terms))
    return {
      question: { condition, sort: this.#sort },
      terms,
      tokens: this.#tokens,
      problems: this.#problems,
    }
  }

  /** Terms up to the end of the text or of these parentheses. `OR` joins the two beside it, so that all others hold for both. */
  #sequence(level: number): Term[] {
    const terms: Term[] = []
    let or: Span | undefined
    for (;;) {
      while (this.#at < this.#text.length && this.#meansNothing()) this.#at += 1
      if (this.#at >= this.#text.length) break
      if (isClosing(this.#text[this.#at])) {
        if (level > 0 && this.#ignoredOpen === 0) break
        // Without an opening one it means nothing.
        this.#ignoredOpen = Math.max(0, this.#ignoredOpen - 1)
        this.#at += 1
      } else if (this.#isOperator('AND')) {
        // All have to be met anyway.
        this.#at += 3
      } else if (this.#isOperator('OR')) {
        const found = { start: this.#at, end: this.#at + 2 }
        this.#at = found.end
        if (terms.length === 0 || or) this.#lonelyOr(found)
        else or = found
      } else {
        const term = this.#term(level)
        const previous = terms.at(-1)
        // An order is no alternative.
        if (term && or && previous && [previous.field, term.field].includes('sort')) {
          this.#lonelyOr(or)
          terms.push(term)
        } else if (term && or && previous) {
          const condition = combine('any', conditionsOf([previous, term]))
          terms[terms.length - 1] = { start: previous.start, end: term.end, condition, field: null }
        } else if (term) terms.push(term)
        if (term) or = undefined
      }
    }
    if (or) this.#lonelyOr(or)
    return terms
  }

  /** A blank, or a sign that stands alone: a comma between terms, a quotation mark behind a number of inches. */
  #meansNothing(): boolean {
    const sign = this.#text[this.#at] ?? ''
    if (isBlank(sign)) return true
    const next = this.#text[this.#at + 1]
    if (sign === ',' && negationEnd(this.#text, this.#at) !== undefined) return false
    if (!isBlank(next)) return sign === ',' && next === sign
    const closing = closingQuotes[sign]
    return (
      sign === ',' ||
      sign === '″' ||
      (closing !== undefined && quoteEnd(this.#text, this.#at, closing) === this.#text.length)
    )
  }

  #isOperator(word: string): boolean {
    const next = this.#text[this.#at + word.length]
    return this.#text.startsWith(word, this.#at) && (isBlank(next) || isOpening(next) || isClosing(next))
  }

  #lonelyOr(at: Span): void {
    this.#problem(at, 'error', 'OR needs something on both sides; in small letters it is a word.', 'or')
  }

  #term(level: number): Term | undefined {
    const start = this.#at
    const next = this.#text[start + 1]
    const negated = negationEnd(this.#text, start)
    let isNegated = negated !== undefined
    if (negated !== undefined) this.#at = negated
    else if (isHyphen(this.#text[start]) && !isHyphen(next)) {
      this.#at += 1
      // Alone it is a dash, or a negation that is still being typed.
      if (isBlank(next) || isClosing(next)) return undefined
      isNegated = true
    } else this.#guess()
    const sign = this.#text[this.#at] ?? ''
    const spoken = isNegated && negated === undefined ? undefined : spokenAt(this.#text, this.#at)
    const found = isOpening(sign) ? this.#group(level) : this.#leaf(level, closingQuotes[sign], spoken)
    if (!found) return undefined
    const condition = found.condition && isNegated ? negate(found.condition) : found.condition
    if (isNegated && found.field === 'sort')
      this.#problem({ start, end: this.#at }, 'notice', 'A sort can not be reversed by a hyphen.')
    return { start, end: this.#at, condition, field: found.field }
  }

  #guess(): void {
    const guess = guessAt(this.#text, this.#at)
    if (!guess) return
    const span = { start: this.#at, end: guess.end }
    const message = `'${this.#text.slice(span.start, span.end)}' is looked for as text; as a filter it is ${guess.suggestion}`
    this.#problem(span, 'notice', message, guess.suggestion)
  }

  #group(level: number): Leaf | undefined {
    const opening = { start: this.#at, end: this.#at + 1 }
    this.#at = opening.end
    if (level >= mostLevels) {
      this.#ignoredOpen += 1
      this.#problem(opening, 'error', `Parentheses go ${mostLevels} levels deep; deeper ones are left out.`)
      return undefined
    }
    const inner = this.#sequence(level + 1)
    if (this.#at < this.#text.length) this.#at += 1
    else {
      this.#ignoredOpen = 0
      this.#problem(opening, 'notice', 'The closing parenthesis is missing; it is taken to be at the end.')
    }
    return { condition: combine('all', conditionsOf(inner)), field: null }
  }

  #leaf(level: number, closing: string | undefined, spoken: Spoken | undefined): Leaf | undefined {
    const start = this.#at
    const problems = this.#problems.length
    if (spoken) this.#at = spoken.end
    const { field, valueStart, condition } = spoken
      ? { ...spoken, valueStart: spoken.end }
      : closing === undefined
        ? this.#word(level)
        : { ...this.#phrase(closing), field: null, valueStart: start }
    // A pair of quotes with nothing in it.
    if (!condition && field === null) return undefined
    const span = { start, end: this.#at }
    const left = mostTerms - this.#count
    const wanted = condition ? countTerms(condition) : 1
    if (field !== 'sort') {
      if (left >= 0 && wanted > left)
        this.#problem(
          { start, end: this.#text.length },
          'error',
          `A question has at most ${mostTerms} terms, values of lists included; the rest is left out.`,
        )
      this.#count += wanted
    }
    const hasError = this.#problems.slice(problems).some(({ severity }) => severity === 'error')
    this.#tokens.push({
      ...span,
      field,
      valueStart,
      isUnderstood: !hasError && (field === 'sort' || left >= wanted),
      isSpoken: spoken !== undefined,
    })
    return { condition: condition && firstTests(condition, left), field }
  }

  #phrase(closing: string): { condition: Condition | null } {
    const start = this.#at
    const end = phraseEnd(this.#text, start, closing)
    this.#at = Math.min(end + 1, this.#text.length)
    if (end >= this.#text.length && end > start + 1) this.#unclosed(start)
    const text = unquoted(this.#text.slice(start + 1, end))
    return { condition: text === '' ? null : { kind: 'text', text } }
  }

  #unclosed(start: number): void {
    const message = 'The closing quotation mark is missing; the phrase goes to the end.'
    this.#problem({ start, end: start + 1 }, 'notice', message)
  }

  #word(level: number): Pick<Token, 'field' | 'valueStart'> & { condition: Condition | null } {
    const start = this.#at
    fieldStart.lastIndex = start
    const [prefix = '', typed = ''] = fieldStart.exec(this.#text) ?? []
    const field = fieldCalled(typed)
    const valueStart = start + (field ? prefix.length : 0)
    this.#at = this.#wordEnd(valueStart, level, field !== undefined)
    const raw = this.#text.slice(valueStart, this.#at)
    if (field === 'sort') return { field, valueStart, condition: this.#readSort(start, raw) }
    if (field) {
      const { condition, problems } = readField(field, raw, this.#isAdministrator)
      for (const { severity, message, nearest } of problems)
        this.#problem({ start, end: this.#at }, severity, message, `${field}:${nearest}`)
      return { field, valueStart, condition }
    }
    const [, linked] = productLink.exec(raw) ?? []
    const asin = linked ?? (/^B0[A-Z0-9]{8}$/i.test(raw) ? raw : undefined)
    if (asin !== undefined)
      return {
        field: null,
        valueStart,
        condition: { kind: 'code', field: 'asin', tests: [asin.toUpperCase()] },
      }
    const rest = raw.slice(prefix.length)
    const isNamed = /[:：]$/.test(prefix)
    // What is left out anyway needs no better name.
    const nearest = isNamed && this.#count < mostTerms ? nearestField(typed) : undefined
    // A name that is still being typed asks nothing, as one whose value is still to come.
    const isUnfinished = rest === '' && nearest !== undefined
    if (isUnfinished || (isNamed && rest !== '' && !rest.startsWith('//'))) {
      const message = `'${typed}:' is not a field, so this ${isUnfinished ? 'asks nothing' : 'is looked for as text'}.`
      this.#problem({ start, end: this.#at }, 'notice', message, nearest ? `${nearest}:${rest}` : `"${raw}"`)
    }
    return { field: null, valueStart, condition: isUnfinished ? null : wordCondition(raw) }
  }

  /** The end of a word: a blank, commas before one, or a parenthesis that closes one outside of it. Of a field's value quotes may hold all. */
  #wordEnd(start: number, level: number, hasQuotes: boolean): number {
    let open = 0
    let at = start
    let beginsValue = hasQuotes
    for (; at < this.#text.length && !isBlank(this.#text[at]); at++) {
      const sign = this.#text.charAt(at)
      const closing = beginsValue && closingQuotes[sign]
      beginsValue = hasQuotes && (sign === ',' || (sign === '=' && beginsValue))
      if (closing) {
        const end = quoteEnd(this.#text, at, closing)
        if (end >= this.#text.length) {
          this.#unclosed(at)
          return end
        }
        at = end
      } else if (isOpening(sign)) open += 1
      else if (isClosing(sign) && --open < 0 && level > 0) break
    }
    while (!hasQuotes && at > start + 1 && this.#text[at - 1] === ',') at -= 1
    // In a field's value they part what is listed, but for the one that begins `, not`.
    const endsInComma = hasQuotes && at > start && this.#text[at - 1] === ','
    return endsInComma && negationEnd(this.#text, at - 1) !== undefined ? at - 1 : at
  }

  #readSort(start: number, raw: string): null {
    const typed = raw.toLowerCase().replace(/,+$/, '')
    const sort = sortNames.find((name) => name === typed || isIn(typed, sorts[name].aliases))
    const span = { start, end: this.#at }
    if (!sort) {
      const nearest = (typed !== '' && sortNames.find((name) => name.startsWith(typed))) || sortNames[0]
      this.#problem(span, 'error', `'sort:' needs one of ${sortNames.join(', ')}.`, `sort:${nearest}`)
    } else if (this.#sort) this.#problem(span, 'error', 'A question has one sort; the first counts.')
    else this.#sort = sort
    return null
  }

  #problem(at: Span, severity: Problem['severity'], message: string, suggestion: string | null = null): void {
    this.#problems.push({ start: at.start, end: at.end, severity, message, suggestion })
  }
}

const isIn = (text: string, list: readonly string[]) => list.includes(text)
const conditionsOf = (terms: readonly Term[]) => terms.flatMap(({ condition }) => condition ?? [])

/** A leaf with no more than so many values; null with none. */
function firstTests(condition: Condition, most: number): Condition | null {
  if (most <= 0) return null
  if (!('tests' in condition)) return condition
  // The cast holds: part of a list of tests is one too, which TypeScript doesn't know of a union.
  return { ...condition, tests: condition.tests.slice(0, most) } as Condition
}
