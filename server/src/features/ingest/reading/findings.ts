import type { ImportField } from '@dealdeck/contract/ingest'
import type { NumberText } from '../../../platform/numbers.ts'
import { keepaNote } from './keepa.ts'
import { Originals } from './originals.ts'
import type { TitleRepair } from './titles.ts'

/** Hosts that are counted on their own, and those that are named. */
const countedHosts = 100
const namedHosts = 5
/** Characters of an example. */
const longestExample = 40

/** What reading the rows of a body came upon, for its notes. */
export class Findings {
  readonly originals = new Originals()
  readonly #hosts = new Map<string, number>()
  readonly #titles = { doubled: 0, dated: 0 }
  readonly #times = new Map<ImportField, { count: number; example: string }>()
  #discounts = 0
  #keepa = 0
  #encoding: string | undefined

  readonly picture = (host: string): void => {
    const known = this.#hosts.has(host) || this.#hosts.size < countedHosts
    const name = known ? host : ''
    this.#hosts.set(name, (this.#hosts.get(name) ?? 0) + 1)
  }

  readonly encoding = (name: string): void => {
    this.#encoding = name
  }

  readonly title = (repair: TitleRepair): void => {
    this.#titles[repair] += 1
  }

  /** A cell of a column of times says something else, or a time that isn't clear. */
  time(field: ImportField, text: string): void {
    const known = this.#times.get(field)
    if (known) known.count += 1
    else this.#times.set(field, { count: 1, example: text.slice(0, longestExample) })
  }

  /** A row says how much off it is, and not what it cost before. */
  discount(): void {
    this.#discounts += 1
  }

  /** A row is a document of Keepa's interface. */
  keepa(): void {
    this.#keepa += 1
  }

  /** A sentence for each kind, with its count. */
  notes(number: NumberText): string[] {
    const note = (count: number, what: string) => (count > 0 ? [`${what}: ${number(count)}.`] : [])
    const { doubled, dated } = this.#titles
    const hosts = [...this.#hosts].sort(([, a], [, b]) => b - a)
    const pictures = hosts.reduce((sum, [, count]) => sum + count, 0)
    const named = hosts
      .slice(0, namedHosts)
      .map(([host, count]) => `${host || 'no usable host'} ${number(count)}`)
    const more = hosts.length > namedHosts ? ', …' : ''
    return [
      ...(this.#encoding ? [`Read as ${this.#encoding}, since it is not UTF-8.`] : []),
      ...note(this.#keepa, keepaNote),
      ...this.originals.notes(number),
      ...note(this.#discounts, 'Discounts stated without an old price, not shown'),
      ...note(doubled, 'Titles that said the same twice, halved'),
      ...note(dated, 'Titles with a date glued to the end, without it now'),
      ...[...this.#times].flatMap(([field, { count, example }]) =>
        note(count, `Times of ${field} that can’t be read, such as “${example}”, left out`),
      ),
      ...(pictures > 0
        ? [`Picture addresses not taken: ${number(pictures)} (${named.join(', ')}${more}).`]
        : []),
    ]
  }
}
