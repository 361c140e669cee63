import { createHash, randomInt } from 'node:crypto'

/** Letters and digits that nobody takes for another one. */
const signs = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const codeLength = 8

/** A code that links or confirms a destination, such as `K7QW3RTZ`. */
export function makeCode(): string {
  return Array.from({ length: codeLength }, () => signs[randomInt(signs.length)]).join('')
}

/** What is stored and compared of a code, however somebody writes it: small, with spaces or dashes. */
export function hashCode(typed: string): Buffer {
  return createHash('sha256').update(typed.replaceAll(/[\s-]/g, '').toUpperCase()).digest()
}
