/** A few signs become a dozen letters each; what lies beyond this would not fit into an index. */
const foldedLimit = 600

/**
 * A text as titles are compared, in search and by hidden words: compatibility forms (width, ligatures, composed and
 * decomposed accents) unified, lower case, in any script. The database only ever compares titles folded here.
 */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().slice(0, foldedLimit)
}

/** Blocks with letters of two cases, letters with accents, and forms of other widths. */
const blocks = [
  ...[0x80, 0x58f, 0x10a0, 0x10ff, 0x13a0, 0x13ff, 0x1c90, 0x1cbf, 0x1e00, 0x1fff, 0x2000, 0x206f],
  ...[0x2100, 0x218f, 0x24b6, 0x24e9, 0x2c00, 0x2dff, 0xa640, 0xa7ff, 0xab30, 0xabbf, 0xff01, 0xff5e],
]
const accent = /[\u0300-\u036f]/
const accents = /[\u0300-\u036f]/g
const letter = /[\p{Script=Latin}\p{Script=Greek}]/u
const alike = new Map([
  ...[...'’‘‛ʼʻ′´＇'].map((sign) => [sign, "'"] as const),
  ...[...'“”„‟«»″＂'].map((sign) => [sign, '"'] as const),
  ...[...'‐‑‒–—―−－'].map((sign) => [sign, '-'] as const),
  ...Array.from('øłđıςё', (from, at) => [from, 'oldiσе'.charAt(at)] as const),
])

let table: Map<string, string> | undefined

/** What a sign other than ASCII stands for: the same sign without case, width and accent; '' for an accent alone. */
function plainSign(sign: string): string {
  if (accent.test(sign)) return ''
  const lower = sign.normalize('NFKC').toLowerCase()
  const known = alike.get(sign) ?? alike.get(lower)
  if (known !== undefined) return known
  const bare = lower.normalize('NFD').replace(accents, '')
  const folded = letter.test(bare) && bare.length === 1 ? bare : lower
  return folded.length === 1 ? (alike.get(folded) ?? folded) : sign
}

/**
 * Which signs `plainText` replaces, and by what, one for one; the last of `from` have nothing in `to` and are left out.
 * PostgreSQL's `translate` takes the two texts as they are, so that it makes the same of a text, whatever its locale.
 */
export function plainSigns(): { from: string; to: string } {
  const entries = [...plainTable()].toSorted(([, one], [, other]) => other.length - one.length)
  return { from: entries.map(([sign]) => sign).join(''), to: entries.map(([, plain]) => plain).join('') }
}

function plainTable(): Map<string, string> {
  if (table) return table
  table = new Map()
  const add = (sign: string) => {
    const plain = plainSign(sign)
    if (plain !== sign) table?.set(sign, plain)
  }
  for (let at = 0; at < blocks.length; at += 2) {
    for (let code = blocks[at] ?? 0; code <= (blocks[at + 1] ?? 0); code++) add(String.fromCharCode(code))
  }
  for (const sign of alike.keys()) add(sign)
  return table
}

/**
 * A name (brand, category) as it is compared: sign by sign without case, width and accents, with one kind of apostrophe, quote
 * and dash. No name is stored in this form, so it is a table that the database can apply.
 */
export function plainText(text: string): string {
  // As nearly all are that are stored folded: ASCII without capitals.
  if (/^[ -@[-~]*$/.test(text)) return text
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  if (/^[ -~]*$/.test(lower)) return lower
  // Capitals are done, and the table has nothing else of ASCII.
  return lower.replace(/[^ -~]+/g, plainRun)
}

function plainRun(run: string): string {
  const signs = plainTable()
  let plain = ''
  for (const sign of run) plain += signs.get(sign) ?? sign
  return plain
}

/** A title, or a text it is to hold, as questions compare them: as `foldText`, and then as a name. */
export function plainTitle(text: string): string {
  return plainText(foldText(text))
}

let signsOf: Map<string, string> | undefined

/**
 * A regular expression, as PostgreSQL reads them, that a folded title matches exactly if its plain form holds a text in plain
 * form: each sign stands for all that fold to it. To fold each title by `translate` takes a hundred times as long.
 */
export function plainPattern(plain: string): string {
  if (!signsOf) {
    signsOf = new Map()
    for (const [sign, folded] of plainTable()) signsOf.set(folded, (signsOf.get(folded) ?? '') + sign)
  }
  const accentsOf = signsOf.get('') ?? ''
  const all = [...plain].map((sign) => {
    const others = signsOf?.get(sign) ?? ''
    // What is folded to something else never stands for itself.
    const own = plainTable().has(sign) ? '' : sign
    return anySign(own + others)
  })
  return all.join(accentsOf === '' ? '' : `${anySign(accentsOf)}*`)
}

const anySign = (signs: string) =>
  `[${Array.from(signs, (sign) => `\\U${sign.codePointAt(0)?.toString(16).padStart(8, '0')}`).join('')}]`
