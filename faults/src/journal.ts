/** What is known of things somebody else keeps: of each, every state it may rightly be in. */
export class Journal {
  readonly #possible = new Map<string, Set<string>>()
  acknowledged = 0

  /** The state before a change; undefined while an earlier one is uncertain. */
  stateOf(name: string): string | undefined {
    const possible = this.#possible.get(name) ?? new Set(['none'])
    return possible.size === 1 ? [...possible][0] : undefined
  }

  /** A change is asked for: from now on the thing may be as before, or as after. */
  begin(name: string, after: string): void {
    const before = this.#possible.get(name) ?? new Set(['none'])
    this.#possible.set(name, new Set([...before, after]))
  }

  /** The change was acknowledged: it is there, whatever happens. */
  acknowledge(name: string, after: string): void {
    this.#possible.set(name, new Set([after]))
    this.acknowledged += 1
  }

  /** Everything that is not as it may be, in words; afterwards what is there counts as known. */
  compare(actual: ReadonlyMap<string, string>): string[] {
    const problems: string[] = []
    for (const [name, possible] of this.#possible) {
      const state = actual.get(name) ?? 'none'
      if (!possible.has(state)) problems.push(`${name} is ${state}, not ${[...possible].join(' or ')}`)
    }
    for (const name of actual.keys())
      if (!this.#possible.has(name)) problems.push(`${name} came from nowhere`)
    this.#possible.clear()
    for (const [name, state] of actual) this.#possible.set(name, new Set([state]))
    return problems
  }
}
