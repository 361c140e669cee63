/** An object of a service's JSON. */
export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The text of an answer. */
export async function bodyText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  for await (const piece of body) pieces.push(decoder.decode(piece, { stream: true }))
  return pieces.join('') + decoder.decode()
}

/** The JSON object that a text is; null where it is none, such as a proxy's page. */
export function jsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** So much of what a service says is read, and shown. */
const [longestRead, longestShown] = [2_000, 200]

/** What a service says as one short line without its full stop, and without the secrets that may stand in it; null where that is nothing. */
export function saidText(value: unknown, secrets: readonly string[]): string | null {
  if (typeof value !== 'string') return null
  let text = value.slice(0, longestRead)
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '…')
  const clean = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/[ .!]+$/, '')
    .trim()
  if (clean === '') return null
  return clean.length > longestShown ? `${clean.slice(0, longestShown - 1).toWellFormed()}…` : clean
}
