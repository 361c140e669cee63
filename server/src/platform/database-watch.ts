import { Socket } from 'node:net'

/** How long a connection that must not be given up lightly outlives the database's silence, in milliseconds. */
const patienceMs = 10_000

/**
 * Whether the database answers, and the sockets of the connections to it. A server that hangs closes nothing: whoever
 * waits for it would wait for good. So while it is away, connections are cut, and what waits on them fails at once.
 * The live bus finds out; who only runs a command never calls `away`.
 */
export class DatabaseWatch {
  #isAway = false
  readonly #sockets = new Set<Socket>()
  readonly #patientSockets = new Set<Socket>()
  #patience: NodeJS.Timeout | undefined
  /** Told whenever the database goes or comes back. */
  readonly onChange = new Set<(isAway: boolean) => void>()

  get isAway(): boolean {
    return this.#isAway
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
    if (this.#isAway) return
    this.#isAway = true
    cut(this.#sockets)
    this.#patience = setTimeout(() => cut(this.#patientSockets), patienceMs).unref()
    this.#tell()
  }

  /** The database answers. May be said again. */
  back(): void {
    if (!this.#isAway) return
    this.#isAway = false
    clearTimeout(this.#patience)
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.onChange) listener(this.#isAway)
  }

  #open(sockets: Set<Socket>): Socket {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Only when pg has its listeners on it.
    if (this.#isAway) setImmediate(() => socket.destroy(noAnswer()))
    return socket
  }
}

function cut(sockets: Set<Socket>): void {
  for (const socket of sockets) socket.destroy(noAnswer())
}

const noAnswer = () => Object.assign(new Error('The database does not answer'), { code: 'ETIMEDOUT' })
