/** Undoes one layer of percent-encoding. What is no escape, such as a percent sign standing for itself, stays. */
export function decodeOnce(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray percent sign spoils only its own sequence.
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (sequence) => {
      try {
        return decodeURIComponent(sequence)
      } catch {
        return sequence
      }
    })
  }
}

/** More layers than anybody means; without a limit a hostile text could hold thousands. */
export const mostLayers = 8

/** Undoes all layers of percent-encoding. */
export function decodeFully(text: string): string {
  let decoded = text
  for (let layer = 0, before = ''; before !== decoded && layer < mostLayers; layer++) {
    before = decoded
    decoded = decodeOnce(decoded)
  }
  return decoded
}

/** Undoes one layer of the encoding of a query string, where a plus sign is a space. */
export function decodeQuery(text: string): string {
  return decodeOnce(text.replaceAll('+', ' '))
}
