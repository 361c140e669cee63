import unhomoglyph from 'unhomoglyph'

/** A name in the form in which new ones are stored: however it is typed, it has one such form. */
export function nameKey(typed: string): string {
  return typed.normalize('NFKC').trim().toLowerCase().normalize('NFKC')
}

/** How the account of a typed name (trimmed, in lower case) may be stored, the likeliest first: old names are stored as they were typed. */
export function nameForms(typed: string): string[] {
  return [...new Set([typed, nameKey(typed), typed.normalize('NFC'), typed.normalize('NFD')])]
}

/**
 * What a name looks like: names that can't be told apart by eye have the same skeleton. By Unicode's table of confusable
 * signs (UTS 39), also of their capitals, since no list of names says in which case a reader remembers them.
 */
export function nameSkeleton(name: string): string {
  const signs = Array.from(nameKey(name).normalize('NFD'), prototypeOf).join('')
  return unhomoglyph(signs.toLowerCase()).normalize('NFD').replace(/\s+/g, ' ')
}

function prototypeOf(sign: string): string {
  const prototype = unhomoglyph(sign)
  if (isAscii(prototype)) return prototype
  const capital = unhomoglyph(sign.toUpperCase())
  return capital.length === 1 && isAscii(capital) ? capital : prototype
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text)
}
