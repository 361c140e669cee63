/** A map in the order in which its keys were last set: of more than `most` the oldest is forgotten. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    // Only then: to find the first key means to walk over the places of all that were forgotten.
    if (this.size > this.#most) {
      const [oldest] = this.keys()
      if (oldest !== undefined) this.delete(oldest)
    }
    return this
  }
}
