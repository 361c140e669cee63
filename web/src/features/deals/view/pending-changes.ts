import type { DealsEvent } from '@dealdeck/contract/deals'

/** Changes of deals: ids, whether any deal was added, and whether nobody knows which have changed. */
type Changes = {
  changed: ReadonlySet<number>
  removed: ReadonlySet<number>
  added: boolean
  everything: boolean
}

type Put = { changed?: Iterable<number>; added?: boolean; everything?: boolean }

/** The changes that an open feed has heard of and not yet shown. */
export class PendingChanges {
  readonly #changed = new Set<number>()
  readonly #removed = new Set<number>()
  #added = false
  #everything = false

  add({ added, changed, removed }: DealsEvent): void {
    for (const id of changed) this.#changed.add(id)
    // A deal that comes back to a list it was marked in is simply shown as it is now.
    for (const id of added) {
      this.#changed.add(id)
      this.#removed.delete(id)
    }
    for (const id of removed) this.#removed.add(id)
    this.#added ||= added.length > 0
  }

  /** All that is pending, which is then pending no more. */
  take(): Changes {
    const taken = {
      changed: new Set(this.#changed),
      removed: new Set(this.#removed),
      added: this.#added,
      everything: this.#everything,
    }
    this.#changed.clear()
    this.#removed.clear()
    this.#added = false
    this.#everything = false
    return taken
  }

  /** Adds changes that are not known by an event, or that were taken and could not be fetched. */
  put({ changed = [], added = false, everything = false }: Put): void {
    for (const id of changed) this.#changed.add(id)
    this.#added ||= added
    this.#everything ||= everything
  }
}
