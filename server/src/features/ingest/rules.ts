import { textOf } from './reading/bytes.ts'
import { parseColumnMap } from './reading/corrections.ts'
import { Decoder } from './reading/encodings.ts'
import { beginningOf } from './reading/json-beginning.ts'
import { type JsonList, listsOf, parseListPath } from './reading/json-lists.ts'
import { readEnd, readTime } from './reading/times.ts'

/** Characters of a document within which its lists are looked for. */
const looked = 1_000_000

/** What somebody says of a body before it is there. Each throws INVALID_INPUT, with the field, for what can't be meant. */
export function checkReading({
  map,
  encoding,
  listPath,
}: {
  map: string
  encoding: string
  listPath: string
}): void {
  parseColumnMap(map)
  new Decoder(new Uint8Array(), () => {}, encoding)
  if (listPath !== '') parseListPath(listPath)
}

/** Whether a moment lies between two times as rows state them; one that can't be read rules nothing out. */
export function isBetween(begin: string | undefined, end: string | undefined, moment: Date): boolean {
  const at = moment.getTime() * 1000
  const [from, to] = [readTime(begin), readEnd(end)]
  return (from === null || from <= at) && (to === null || at < to)
}

/**
 * The lists of objects in the beginning of a body, which may be packed with gzip and cut off anywhere; none unless it is a JSON
 * document. How many rows each has is counted in that beginning.
 */
export async function jsonListsIn(beginning: Uint8Array, encoding = ''): Promise<JsonList[]> {
  let text = ''
  try {
    for await (const piece of textOf(once(beginning), { encoding, limit: 16 * looked })) {
      text += piece
      if (text.length >= looked) break
    }
  } catch {
    // Cut off within what is packed: what has come out of it tells enough.
  }
  const document = text.replace(/^\ufeff?\s*/, '')
  return /^[[{]/.test(document) ? listsOf(beginningOf(document)) : []
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
