/** How long a title may be, in characters: on a card, and in the preview of what is shared. */
export const cardTitleLength = 80
export const shareTitleLength = 50

/** A title cut after `length` characters with an ellipsis. Counts characters as people see them, so no emoji is torn apart. */
export function cutTitle(title: string, length: number): string {
  // Code units are never fewer than characters, so most titles need no closer look.
  if (title.length <= length) return title
  const characters = [...new Intl.Segmenter().segment(title)]
  const last = characters[length]
  return last === undefined ? title : `${title.slice(0, last.index).trimEnd()}…`
}
