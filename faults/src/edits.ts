import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Outcome } from './client.ts'
import type { Installation } from './installation.ts'
import { Journal } from './journal.ts'

type Kind = {
  path: string
  /** The things as the database has them, by name. */
  read: string
  /** What removing one leaves. */
  removed: 'none' | 'inactive'
  add(name: string): { body: object; state: string }
  change(state: string): { body: object; state: string }
}

/** Titles hold `row 17 …`, so a word hides a few hundred of them. */
const kinds: Record<'filter' | 'word' | 'user', Kind> = {
  filter: {
    path: '/api/amazon_filters',
    // The default filters are nobody's edit.
    read: "select name, code as state, id from amazon_filters where name like 'made %'",
    removed: 'none',
    add: (name) => ({ body: { category: 'brands', name, code: 'p_89:First' }, state: 'p_89:First' }),
    change: (state) => {
      const code = state === 'p_89:First' ? 'p_89:Second' : 'p_89:First'
      return { body: { code }, state: code }
    },
  },
  word: {
    path: '/api/blacklisted_words',
    read: "select word as name, case when is_active then 'active' else 'inactive' end as state, id from blacklisted_words",
    removed: 'inactive',
    add: (name) => ({ body: { word: name }, state: 'active' }),
    change: (state) => ({
      body: { is_active: state !== 'active' },
      state: state === 'active' ? 'inactive' : 'active',
    }),
  },
  user: {
    path: '/api/users',
    read: "select username as name, role as state, id from users where username like 'made %'",
    removed: 'none',
    add: (name) => ({ body: { username: name, password: 'correct horse', role: 'user' }, state: 'user' }),
    change: (state) => {
      const role = state === 'user' ? 'admin' : 'user'
      return { body: { role }, state: role }
    },
  },
}

/** An administrator who adds, changes and removes things of one kind, one after the other, and remembers the answers. */
export class Edits {
  readonly journal = new Journal()
  readonly #kind: Kind
  readonly #nameOf: (n: number) => string
  readonly #ids = new Map<string, number>()
  #next = 0

  constructor(kind: keyof typeof kinds) {
    this.#kind = kinds[kind]
    this.#nameOf = (n) => `${kind === 'word' ? 'row' : 'made'} ${(n % 40) + 10}`
  }

  /** Goes on until it is stopped. Throws when an answer is neither a yes nor the trouble of a dying server. */
  async run(client: Client, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#next += 1
      const name = this.#nameOf(this.#next)
      const isKnown = this.journal.stateOf(name) !== undefined
      // What is uncertain is left alone until it has been looked at.
      if (!isKnown || !(await this.#edit(client, name))) await sleep(50)
    }
  }

  /** What is wrong with what the database has now. */
  async check(installation: Installation): Promise<string[]> {
    const rows = await installation.query<{ name: string; state: string; id: string }>(this.#kind.read)
    this.#ids.clear()
    for (const { name, id } of rows) this.#ids.set(name, Number(id))
    return this.journal.compare(new Map(rows.map(({ name, state }) => [name, state])))
  }

  /** One step in the life of a thing: what isn't there is added; what is there is removed, or, one time of three, changed. */
  async #edit(client: Client, name: string): Promise<boolean> {
    const { path, removed, add, change } = this.#kind
    const known = this.journal.stateOf(name)
    const id = this.#ids.get(name)
    if (known === 'none' || id === undefined) {
      const { body, state } = add(name)
      return this.#attempt(name, state, () => client.change('POST', path, body))
    }
    if (this.#next % 3 === 0) {
      const { body, state } = change(known ?? '')
      return this.#attempt(name, state, () => client.change('PATCH', `${path}/${id}`, body))
    }
    return this.#attempt(name, removed, () => client.change('DELETE', `${path}/${id}`))
  }

  async #attempt(name: string, after: string, send: () => Promise<Outcome>): Promise<boolean> {
    this.journal.begin(name, after)
    const outcome = await send()
    if (outcome.kind === 'refused')
      throw new Error(`${name}: refused with ${outcome.status} ${JSON.stringify(outcome.body)}`)
    if (outcome.kind === 'unknown') return false
    this.journal.acknowledge(name, after)
    const { body } = outcome
    if (typeof body === 'object' && body && 'id' in body) this.#ids.set(name, Number(body.id))
    if (after === 'none') this.#ids.delete(name)
    return true
  }
}
