/**
 * A name that stands twice in one object of a JSON text, and where the second time; undefined where none does. `value` is what
 * the text was parsed to: of equal names the parser takes the last without a word, so that there are fewer than in the text.
 */
export function repeatedName(text: string, value: object): { name: string; at: number } | undefined {
  return membersIn(text) === namesIn(value) ? undefined : findRepeated(text)
}

/** How many members all objects of a JSON text have, as far as that is seen at once: with spaces before its colons it has more. */
function membersIn(text: string): number | undefined {
  let members = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    if (text.charCodeAt(at - 1) !== 34) continue
    // An escaped quotation mark in a string, or a name that ends in a backslash.
    if (text.charCodeAt(at - 2) === 92) return undefined
    members += 1
  }
  return members
}

/** How many names the objects of a parsed value have; of a list none of its own. */
function namesIn(value: object): number {
  let names = 0
  // Without recursion, as values may be nested deeper than calls.
  const left = [value]
  for (let each = left.pop(); each; each = left.pop()) {
    const isList = Array.isArray(each)
    // Nothing parsed inherits a name, and this walks over them without making a list.
    for (const key in each) {
      // Of what was parsed, with a key of its own.
      const inner = (each as Record<string, unknown>)[key]
      if (!isList) names += 1
      if (typeof inner === 'object' && inner !== null) left.push(inner)
    }
  }
  return names
}

function findRepeated(text: string): { name: string; at: number } | undefined {
  /** The names of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = []
  let last = { from: 0, to: 0 }
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (sign === '"') {
      last = { from: at, to: endOfString(text, at) }
      at = last.to - 1
    } else if (sign === '{') open.push(new Set())
    else if (sign === '[') open.push(null)
    else if (sign === '}' || sign === ']') open.pop()
    else if (sign === ':') {
      const name = String(JSON.parse(text.slice(last.from, last.to)))
      const names = open.at(-1)
      if (names?.has(name)) return { name, at: last.from }
      names?.add(name)
    }
  }
  return undefined
}

/** Where a string ends that begins at a position, behind its quotation mark. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
