import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** How long the hosts are waited for together before they are asked again, in milliseconds. */
const roundMs = 700
/** A host that takes longer to say what it is doesn't count; meanwhile it is not asked a second time. In milliseconds. */
const answerMs = 3_000
/** How much longer the others are heard once one has said that it can be written to, in milliseconds. */
const graceMs = 100

type Host = { host: string; port: string }
type Answer = { index: number; isReadOnly: boolean; timeline: number }

/** What to do with an address that can't be read; never its text, which holds the password. */
class AddressError extends Error {
  override readonly name = 'AddressError'
}

/**
 * The servers of DATABASE_URL, one or several as libpq writes them, and which of them is in use:
 * `postgres://user:password@one:5432,two:5433/db?target_session_attrs=read-write`. The one that can be written to is
 * chosen; without one, and unless `read-write` is asked for, one that can only be read.
 */
export class DatabaseHosts {
  /** Whether a server that can only be read is as good as none. */
  readonly mustWrite: boolean
  /** All hosts and the database: all of the address that may be shown. */
  readonly shownAddress: string
  readonly #urls: string[]
  readonly #asked = new Map<string, Promise<Omit<Answer, 'index'>>>()
  #chosen = 0
  /** The newest history of writes seen so far: a server is promoted into a new one, and who missed that is outdated. */
  #timeline = 0

  /** Throws AddressError, one clear line without the password. */
  constructor(address: string) {
    const { urls, hosts, database, target } = readAddress(address)
    this.#urls = urls
    this.mustWrite = target === 'read-write'
    this.shownAddress = `${hosts.map(shown).join(',')}/${database}`
  }

  get areSeveral(): boolean {
    return this.#urls.length > 1
  }

  /** The address of the one in use. */
  get url(): string {
    return this.#urls[this.#chosen] ?? ''
  }

  /**
   * Asks all of several hosts at once and chooses: among those that can be written to the one that was promoted last, then
   * the first in the list. Never one whose history is older than what was in use before: it was replaced, and what is
   * written there would be lost. Throws the error of a host when none will do.
   */
  async choose(): Promise<void> {
    if (!this.areSeveral) return
    // Who has seen none yet can't tell an outdated one: all are heard that answer at all.
    const { answers, failures } = await this.#ask(this.#timeline === 0 ? answerMs : graceMs)
    const current = answers.filter(({ timeline, isReadOnly }) => isReadOnly || timeline >= this.#timeline)
    const [best] = current.sort(
      (a, b) => Number(a.isReadOnly) - Number(b.isReadOnly) || b.timeline - a.timeline || a.index - b.index,
    )
    if (!best || (best.isReadOnly && this.mustWrite)) {
      if (answers.length > current.length)
        throw new ReadOnlyError('the only server that can be written to was replaced by another one before')
      throw best || failures.length === 0
        ? new ReadOnlyError('none of its servers can be written to')
        : failures[0]
    }
    this.#chosen = best.index
    this.#timeline = Math.max(this.#timeline, best.timeline)
  }

  /**
   * Whether a server was promoted after the one in use, which may go on answering as if nothing had happened. From then on
   * `choose` takes no older one.
   */
  async isReplaced(): Promise<boolean> {
    // Nobody waits for this.
    const { answers } = await this.#ask(roundMs)
    const [newest] = answers
      .filter(({ isReadOnly, timeline }) => !isReadOnly && timeline > this.#timeline)
      .sort((a, b) => b.timeline - a.timeline)
    if (!newest) return false
    this.#timeline = newest.timeline
    return newest.index !== this.#chosen
  }

  async #ask(grace: number): Promise<{ answers: Answer[]; failures: unknown[] }> {
    const answers: Answer[] = []
    const failures: unknown[] = []
    const found = Promise.withResolvers<true>()
    const all = this.#urls.map(async (url, index) => {
      try {
        const answer = { index, ...(await this.#askOne(url)) }
        answers.push(answer)
        if (!answer.isReadOnly) found.resolve(true)
      } catch (error) {
        failures.push(error)
      }
    })
    const rest = async (isFound: boolean) => {
      if (isFound) await sleep(grace, undefined, { ref: false })
    }
    const heard = Promise.race([found.promise, sleep(roundMs, false, { ref: false })]).then(rest)
    await Promise.race([Promise.all(all), heard])
    return { answers: [...answers], failures: [...failures] }
  }

  /** A host that is slow is heard by the round that its answer comes in. */
  #askOne(url: string): Promise<Omit<Answer, 'index'>> {
    const asked =
      this.#asked.get(url) ??
      ask(url).finally(() => {
        this.#asked.delete(url)
      })
    this.#asked.set(url, asked)
    return asked
  }
}

/** The database answers and takes no changes; the message goes on after 'The database at …:'. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError'
}

async function ask(url: string): Promise<Omit<Answer, 'index'>> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'dealdeck ask',
    ...{ connectionTimeoutMillis: answerMs, query_timeout: answerMs },
  })
  client.on('error', () => {})
  try {
    await client.connect()
    // The name of a file of its log begins with the history it belongs to; a standby writes none.
    const { rows } = await client.query<{ is_read_only: boolean; file: string | null }>(
      `select current_setting('transaction_read_only')::bool as is_read_only,
              case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as file`,
    )
    const [row] = rows
    return {
      isReadOnly: row?.is_read_only ?? true,
      timeline: Number.parseInt(row?.file?.slice(0, 8) ?? '0', 16),
    }
  } finally {
    // A goodbye to a server that hangs would never be over.
    client.end().catch(() => {})
    setTimeout(() => client.connection.stream.destroy(), answerMs).unref()
  }
}

const notAnAddress =
  'Setting DATABASE_URL is not a PostgreSQL address (special characters must be percent-encoded).'

function readAddress(address: string) {
  try {
    const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(address)
    // With ? or # in a password what stands before that would be a host's name, and be shown, or all of it nothing.
    if (!parts || /^\w+:\/\/[^@/]*\?[^/=]*@/.test(address)) throw new AddressError(notAnAddress)
    const [, start = '', authority = '', database = '', query = ''] = parts
    const options = new URLSearchParams(query)
    const target = options.get('target_session_attrs') ?? 'any'
    if (target !== 'any' && target !== 'read-write')
      throw new AddressError(
        'Setting DATABASE_URL: target_session_attrs must be read-write or any, since Dealdeck has to write.',
      )
    const hosts = hostsOf(authority, options)
    // A restore, and who looks for commits that wait, know our connections by the names that we give them.
    for (const name of ['host', 'port', 'target_session_attrs', 'application_name']) options.delete(name)
    const urls = hosts.map(({ host, port }) => {
      const isSocket = host.startsWith('/')
      const all = new URLSearchParams(options)
      if (isSocket) all.set('host', host)
      const end = all.size === 0 ? '' : `?${all}`
      return `${start}${isSocket ? 'localhost' : bracketed(host)}${port && `:${port}`}/${database}${end}`
    })
    // Reads each address and connects to nothing.
    for (const url of urls) new pg.Client({ connectionString: url })
    return { urls, hosts, database, target }
  } catch (error) {
    if (error instanceof AddressError) throw error
    // A certificate or a key: the library reads them along with the address.
    if (isAboutFile(error))
      throw new AddressError(`Setting DATABASE_URL names ${error.path}, which can't be read (${error.code}).`)
    // What others throw quotes the address, with its password.
    throw new AddressError(notAnAddress)
  }
}

function isAboutFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

/** Hosts and ports as libpq pairs them: from the address or its options `host` and `port`, one port being for all. */
function hostsOf(authority: string, options: URLSearchParams): Host[] {
  const inAddress = authority.split(',').map((part) => {
    const [whole, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(part) ?? []
    if (whole === undefined) throw new AddressError(notAnAddress)
    return { host: decodeURIComponent(host.replace(/^\[(.*)\]$/, '$1')), port }
  })
  const names = options.get('host')?.split(',') ?? inAddress.map(({ host }) => host)
  const ports = options.get('port')?.split(',') ?? inAddress.map(({ port }) => port)
  if (ports.length !== 1 && ports.length !== names.length)
    throw new AddressError('Setting DATABASE_URL must name as many ports as hosts, or one for all.')
  return names.map((host, at) => ({
    host: host || 'localhost',
    port: (ports.length === 1 ? ports[0] : ports[at]) ?? '',
  }))
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : encodeURIComponent(host))
const shown = ({ host, port }: Host) => `${host.includes(':') ? `[${host}]` : host}:${port || 5432}`
