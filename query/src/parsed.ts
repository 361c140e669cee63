import type { FieldName } from './fields.ts'
import type { Condition, Question } from './question.ts'

/** Where something stands in the text as it was typed: from the one UTF-16 unit up to the other. */
export type Span = { start: number; end: number }

/** What is wrong with a part of the text. An error is left out of the question, of a notice the meaning is another than it looks. */
export type Problem = Span & {
  severity: 'error' | 'notice'
  message: string
  /** What could stand there instead, or null. */
  suggestion: string | null
}

/** A word, a phrase, or a field with its value. */
export type Token = Span & {
  /** Null for text. */
  field: FieldName | 'sort' | null
  /** Where the value begins: behind colon and hyphen. A field that is said in words has none, which is its end. */
  valueStart: number
  /** Whether it is part of the question. */
  isUnderstood: boolean
  /** Whether the field is said in words, such as `under 30`. */
  isSpoken: boolean
}

/** A part of the text that can be taken out without changing what the rest means: all deals meet each of these. */
export type Term = Span & {
  /** Null for a sort, and for what is not understood. */
  condition: Condition | null
  /** Its field, if it is nothing else. */
  field: FieldName | 'sort' | null
}

export type ParsedQuestion = {
  question: Question
  /** The question's own terms, in order; alternatives and parentheses are one term. */
  terms: readonly Term[]
  /** All words, phrases and fields, in order, those in parentheses too. */
  tokens: readonly Token[]
  problems: readonly Problem[]
}

export type ParsingOptions = {
  /** Whether fields for administrators are understood. */
  isAdministrator?: boolean
}
