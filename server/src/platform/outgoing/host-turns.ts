import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { retryAfterMs } from './retry-after.ts'
import type { SafeResponse } from './safe-fetch.ts'

/** Gives a turn back; the host is left alone for `quietMs` more. Never throws: a turn that can't be given back ends by itself. */
export type ReleaseTurn = (quietMs?: number) => Promise<void>

type Wish = {
  /** Between the end of one request and the beginning of the next, in milliseconds. */
  pauseMs: number
  /** How long to wait for a turn at most, in milliseconds; a minute unless given. */
  patienceMs?: number
  signal?: AbortSignal | undefined
}

/** Whoever is not heard of for so long has lost its turn, in milliseconds; it says that it is at work three times as often. */
const leaseMs = 15_000
/** How often it is looked whether a host is free by now, in milliseconds. */
const lookMs = 500
const usualPatienceMs = 60_000
/** The longest that a host may ask us to stay away, in milliseconds. */
const longestQuietMs = 86_400_000
/** A later time was written before the clock was put right: nobody waits for it, in milliseconds. */
const believedMs = longestQuietMs + 60_000
/** Hosts that were not asked for an hour are forgotten, by each process once in a while. */
const sweepEveryMs = 600_000

const takeSql = `insert into request_hosts as h (host, next_at, busy_until)
  values ($1, now(), now() + $2 * interval '1 ms')
  on conflict (host) do update set busy_until = excluded.busy_until, next_at = least(h.next_at, now())
    where (h.next_at <= now() or h.next_at > now() + ${believedMs} * interval '1 ms')
      and (h.busy_until <= now() or h.busy_until > now() + interval '1 minute')
  returning busy_until::text as lease`
const waitSql = `select extract(epoch from next_at - now()) * 1000 as quiet,
    extract(epoch from greatest(next_at, busy_until) - now()) * 1000 as wait
  from request_hosts where host = $1`
const renewSql = `update request_hosts set busy_until = now() + $3 * interval '1 ms'
  where host = $1 and busy_until = $2::timestamptz returning busy_until::text as lease`
// Who has lost its turn still knows how long the host wants to be left alone.
const releaseSql = `update request_hosts set next_at = greatest(next_at, now() + $3 * interval '1 ms'),
    busy_until = case when busy_until = $2::timestamptz then now() else busy_until end
  where host = $1`
const sweepSql = `delete from request_hosts
  where next_at < now() - interval '1 hour' and busy_until < now() - interval '1 hour'`

/** A host is not to be asked for longer than somebody would wait. */
export class HostQuietError extends Error {
  override readonly name = 'HostQuietError'
  /** When it may be asked, as far as one knows. */
  readonly until: Date

  constructor(until: Date) {
    super('Its host is not to be asked yet.')
    this.until = until
  }
}

/** Lets one request at a time go to a host, from whichever process, with a pause after each. */
export class HostTurns {
  readonly #pool: pg.Pool
  /** The end of the line within this process, by host: one of it asks the database. */
  readonly #lines = new Map<string, Promise<void>>()
  #sweptAt = 0

  /** The pool is for short statements; what it writes may be lost with the server. */
  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /**
   * Waits for the turn of a host (`URL.hostname`), which lasts until it is released or this process ends. Throws a HostQuietError when
   * that would take longer than `patienceMs`, and why `signal` was aborted.
   */
  async take(host: string, wish: Wish): Promise<ReleaseTurn> {
    const { signal, patienceMs = usualPatienceMs } = wish
    const before = this.#lines.get(host) ?? Promise.resolve()
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const line = before.then(() => left)
    this.#lines.set(host, line)
    const end = () => {
      leave()
      if (this.#lines.get(host) === line) this.#lines.delete(host)
    }
    try {
      const until = performance.now() + patienceMs
      await firstOf(before, patienceMs, signal)
      const lease = await this.#takeLease(host, until, signal)
      return this.#holding(host, lease, wish.pauseMs, end)
    } catch (error) {
      end()
      throw error
    }
  }

  async #takeLease(host: string, until: number, signal: AbortSignal | undefined): Promise<string> {
    await this.#sweep()
    for (;;) {
      signal?.throwIfAborted()
      const taken = await this.#pool.query<{ lease: string }>(takeSql, [host, leaseMs])
      if (taken.rows[0]) return taken.rows[0].lease
      const { rows } = await this.#pool.query<{ quiet: number; wait: number }>(waitSql, [host])
      const { quiet, wait } = rows[0] ?? { quiet: 0, wait: 0 }
      const leftMs = until - performance.now()
      // Whoever is at work may end at any time, but a host that is to be left alone is known for how long.
      if (leftMs <= 0 || quiet > leftMs)
        throw new HostQuietError(new Date(Date.now() + Math.max(wait, lookMs)))
      await sleep(Math.max(10, Math.min(wait, lookMs)), undefined, { signal }).catch(() => {})
    }
  }

  #holding(host: string, first: string, pauseMs: number, end: () => void): ReleaseTurn {
    let lease = first
    let isHeld = true
    let renewing = Promise.resolve()
    const renew = async () => {
      const { rows } = await this.#pool.query<{ lease: string }>(renewSql, [host, lease, leaseMs])
      lease = rows[0]?.lease ?? lease
    }
    const timer = setInterval(() => {
      // The next beat tries again; meanwhile the lease lasts.
      renewing = renewing.then(renew).catch(() => {})
    }, leaseMs / 3)
    timer.unref()
    return async (quietMs = 0) => {
      if (!isHeld) return
      isHeld = false
      clearInterval(timer)
      await renewing
      const rest = Math.max(pauseMs, Math.min(quietMs, longestQuietMs))
      await this.#pool.query(releaseSql, [host, lease, rest]).catch(() => {})
      end()
    }
  }

  async #sweep(): Promise<void> {
    if (performance.now() - this.#sweptAt < sweepEveryMs && this.#sweptAt !== 0) return
    this.#sweptAt = performance.now()
    await this.#pool.query(sweepSql)
  }
}

/** Waits for work to be done, for a time to be over, or for a signal, whatever comes first. */
async function firstOf(work: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const over = new AbortController()
  const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  await Promise.race([work, sleep(ms, undefined, { signal: ended }).catch(() => {})])
  over.abort()
}

/**
 * How long an answer asks us to stay away, in milliseconds (`Retry-After` of a 429 or 503, seconds or a date); 0 where it doesn't,
 * or where a host that is not public says so: those are our administrators' own.
 */
export function quietMsOf(
  response: Pick<SafeResponse, 'status' | 'headers' | 'isPublic'>,
  now: Date,
): number {
  if (!response.isPublic || (response.status !== 429 && response.status !== 503)) return 0
  return retryAfterMs(response.headers, now) ?? 0
}
