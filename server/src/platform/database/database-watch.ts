import { Socket } from 'node:net'

/** How long a connection that must not be given up lightly outlives the database's silence, in milliseconds. */
const patienceMs = 10_000

/**
 * What the database is good for: everything, reading only, nothing for sure, since a pooler gives its sessions to others,
 * or nothing, since it does not answer.
 */
export type DatabaseState = 'there' | 'read_only' | 'pooled' | 'away'

/** What open pages are told of it. Where nobody hears of changes a feed is as old as without the database. */
export function databaseEventOf(state: DatabaseState): { is_away: boolean; is_read_only: boolean } {
  return { is_away: state !== 'there', is_read_only: state === 'read_only' }
}

/**
 * Whether the database answers and takes changes, and the sockets of the connections to it. A server that hangs closes nothing: whoever
 * waits for it would wait for good. So while it is away, connections are cut, and what waits on them fails at once.
 * The live bus finds out; who only runs a command never calls `away`.
 */
export class DatabaseWatch {
  #state: DatabaseState = 'there'
  readonly #sockets = new Set<Socket>()
  readonly #patientSockets = new Set<Socket>()
  #patience: NodeJS.Timeout | undefined
  /** Told whenever the database goes, comes back, or can only be read from now on. */
  readonly onChange = new Set<(state: DatabaseState) => void>()
  /** Commits that wait for a standby, at the last look. */
  commitsWaiting = 0
  /** Commits whose wait for a standby was broken off, since the start. */
  commitsUnconfirmed = 0
  #answeredAt = Number.NEGATIVE_INFINITY

  get state(): DatabaseState {
    return this.#state
  }

  get isAway(): boolean {
    return this.#state === 'away'
  }

  /** When the database answered last, by `performance.now()`. */
  get answeredAt(): number {
    return this.#answeredAt
  }

  /** For pg's `stream`: a socket that is cut as soon as the database is away. */
  socket(): Socket {
    return this.#open(this.#sockets)
  }

  /** The same for the long work of an import, which outlives ten seconds of silence. */
  patientSocket(): Socket {
    return this.#open(this.#patientSockets)
  }

  /** The database does not answer. May be said again. */
  away(): void {
    if (this.isAway) return
    cut(this.#sockets)
    this.#patience = setTimeout(() => cut(this.#patientSockets), patienceMs).unref()
    this.commitsWaiting = 0
    this.#become('away')
  }

  /** The database answers, each time in another session. May be said again. */
  pooled(): void {
    clearTimeout(this.#patience)
    this.#become('pooled')
  }

  /** Another server takes its place: what goes on at the old one must end, imports too. */
  moved(): void {
    this.away()
    cut(this.#patientSockets)
  }

  /** The database answers, and can be read only or changed too. May be said again. */
  answers({ isReadOnly }: { isReadOnly: boolean }): void {
    this.#answeredAt = performance.now()
    clearTimeout(this.#patience)
    this.#become(isReadOnly ? 'read_only' : 'there')
  }

  #become(state: DatabaseState): void {
    if (this.#state === state) return
    this.#state = state
    for (const listener of this.onChange) listener(state)
  }

  #open(sockets: Set<Socket>): Socket {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Only when pg has its listeners on it.
    if (this.isAway) setImmediate(() => socket.destroy(noAnswer()))
    return socket
  }
}

function cut(sockets: Set<Socket>): void {
  for (const socket of sockets) socket.destroy(noAnswer())
}

const noAnswer = () => Object.assign(new Error('The database does not answer'), { code: 'ETIMEDOUT' })
