import { AppError } from '../../../platform/errors.ts'
import type { NumberText } from '../../../platform/numbers.ts'
import type { RawRow } from './raw-row.ts'

/** What a body may ask of whoever reads it. */
export type BodyLimits = {
  /** Bytes that may come out of its packings, all together, for each one that was sent. */
  ratio: number
  /** Characters without a row among them. */
  charactersWithoutRow: number
  /** Rows in a row that can not be read as rows at all. */
  malformedInARow: number
  /** Rows in a row that no deal came of. */
  refusedInARow: number
}

/**
 * Of what somebody sends. Real files pack 1 : 5 to 1 : 30, endlessly repeated ones up to 1 : 100, a bomb 1 : 1,000 for
 * each of its packings. A list may well have some ten thousand rows without a price in a row, or of another shop.
 */
export const sentBodies: BodyLimits = {
  ratio: 200,
  charactersWithoutRow: 64_000_000,
  malformedInARow: 1_000,
  refusedInARow: 100_000,
}

/** Of the operator's own files: whoever runs the command has the machine. */
export const ownFiles: BodyLimits = {
  ratio: Number.POSITIVE_INFINITY,
  charactersWithoutRow: Number.POSITIVE_INFINITY,
  malformedInARow: Number.POSITIVE_INFINITY,
  refusedInARow: Number.POSITIVE_INFINITY,
}

/** Different reasons that an error lists. */
const mostReasons = 3

/** Rows of one kind without another between them, and the first reasons for it. */
class Streak {
  count = 0
  readonly #reasons = new Map<string, number>()

  add(reason: string): void {
    this.count += 1
    const known = this.#reasons.get(reason)
    if (known !== undefined || this.#reasons.size < mostReasons) this.#reasons.set(reason, (known ?? 0) + 1)
  }

  end(): void {
    if (this.count === 0) return
    this.count = 0
    this.#reasons.clear()
  }

  reasons(number: NumberText): string {
    return [...this.#reasons].map(([reason, count]) => `${reason} (${number(count)})`).join(', ')
  }
}

/** Gives up on a body in which hardly anything is a row. Each method throws INVALID_INPUT then. */
export class RowLimits {
  readonly #limits: BodyLimits
  readonly #number: NumberText
  readonly #malformed = new Streak()
  readonly #refused = new Streak()
  #characters = 0

  constructor(limits: BodyLimits, number: NumberText) {
    this.#limits = limits
    this.#number = number
  }

  /** So many characters were read, and these rows ended in them. */
  read(characters: number, rows: readonly RawRow[]): void {
    this.#characters += characters
    for (const { problem } of rows) {
      if (problem === undefined) {
        this.#characters = 0
        this.#malformed.end()
        continue
      }
      this.#malformed.add(problem)
      if (this.#malformed.count >= this.#limits.malformedInARow)
        throw this.#giveUp(this.#malformed, 'unreadable')
    }
    const { charactersWithoutRow } = this.#limits
    if (this.#characters <= charactersWithoutRow) return
    const limit = this.#number(charactersWithoutRow)
    throw new AppError('INVALID_INPUT', `There is no row within ${limit} characters. Nothing was imported.`)
  }

  accepted(): void {
    this.#refused.end()
  }

  refused(reason: string): void {
    this.#refused.add(reason)
    if (this.#refused.count >= this.#limits.refusedInARow) throw this.#giveUp(this.#refused, 'no deals')
  }

  #giveUp(streak: Streak, what: string): AppError {
    const [count, reasons] = [this.#number(streak.count), streak.reasons(this.#number)]
    return new AppError(
      'INVALID_INPUT',
      `${count} rows in a row are ${what}: ${reasons}. Nothing was imported.`,
    )
  }
}
