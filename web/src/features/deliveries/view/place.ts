/** What of destinations is looked at. */
export type Place =
  | { view: 'list' }
  /** Adding one; '' until its kind is chosen. */
  | { view: 'add'; kind: string }
  | { view: 'one'; id: number; isEdited: boolean }

/** Reads an address, typed by the app or by hand: 'new', 'new-discord', '7', '7-edit'. What makes no sense is the list. */
export function placeOf(at: string | undefined): Place {
  const [, kind] = /^new(?:-([a-z]+))?$/.exec(at ?? '') ?? []
  if (at === 'new' || kind !== undefined) return { view: 'add', kind: kind ?? '' }
  const [, id, edit] = /^(\d{1,15})(-edit)?$/.exec(at ?? '') ?? []
  return id === undefined ? { view: 'list' } : { view: 'one', id: Number(id), isEdited: edit !== undefined }
}
