/**
 * What is said where nobody sees any deal. `stored`: how many there are that nothing says can be had; undefined where that
 * isn't known, as to members.
 */
export function noDealsWords(
  stored: number | undefined,
  number: (value: number) => string,
): { title: string; text: string } {
  if (stored === undefined)
    return {
      title: 'No deals right now',
      text: 'They show up here by themselves as soon as there are any.',
    }
  if (stored === 0)
    return {
      title: 'No deals yet',
      text: 'Import a file of deals to fill the feed. They show up here at once, for everybody.',
    }
  const [are, none] =
    stored === 1
      ? ['1 deal is', 'it is available, so nobody sees it']
      : [`${number(stored)} deals are`, 'they are available, so nobody sees them']
  return {
    title: 'No deal is available',
    text: `${are} stored, but nothing says that ${none}. Import the file again and give its rows an availability.`,
  }
}
