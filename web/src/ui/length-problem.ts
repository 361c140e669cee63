/** What to say of a pasted text that is too long to be taken, rather than cutting it off; undefined when it isn't. */
export function lengthProblem(
  text: string,
  longest: number,
  number: (value: number) => string,
): string | undefined {
  if (text.length <= longest) return undefined
  return `${number(text.length)} characters are too many; at most ${number(longest)} are taken.`
}
