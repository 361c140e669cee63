import type { ServerResponse } from 'node:http'
import type { FastifyReply, onRequestHookHandler } from 'fastify'
import type { Databases } from '../database/database.ts'
import { type Identify, memberOf } from '../http/access.ts'
import { callerAddress, networkOf } from '../http/caller-address.ts'
import { cancelWhenGone, goneError } from '../http/gone-signal.ts'
import { MemberGate, type Peers, type Turn } from './member-gate.ts'
import { MemberPace } from './member-pace.ts'

/** After a turn of a member who has several waiting; in milliseconds. */
export const restMs = 20
/**
 * After a body was looked at, its member's next has to wait for so many times what that took, in which nothing else was done; and no
 * longer than this, in milliseconds.
 */
const [bodyRests, longestBodyRestMs] = [3, 250]
/** A turn is over by then, however slowly its answer is read; in milliseconds. */
const longestSendMs = 10_000

/**
 * How many may ask for deals at once, and how many of one member, where the pools have so many connections: together
 * no more than the reading pool holds, and pages fewer than theirs; a search may have to wait there for a page.
 */
export function turnsFor({ read, page }: { read: number; page: number }) {
  const [pages, searches] = [page - 1, Math.max(2, Math.floor(read / 3))]
  return {
    others: { name: 'others', total: read - searches - pages, perMember: 2, queue: 64, restMs },
    pages: { name: 'pages', total: pages, perMember: Math.max(1, pages - 1), queue: 64, restMs },
    searches: { name: 'searches', total: searches, perMember: Math.floor(searches / 2), queue: 8, restMs },
  }
}

/** Whose turn it is to ask the database for deals, so that a member who asks for very much slows only themselves. */
export class ReadGates {
  /** Pages as the screens ask for them. */
  readonly pages: MemberGate
  /** Searches, and pages of many deals: each can take a core for a while. */
  readonly searches: MemberGate
  /** What else the contract's routes read. */
  readonly others: MemberGate
  /** Looking at what was sent: a body of lists may take some ten milliseconds, in which nothing else is done. */
  readonly bodies = new MemberGate({
    ...{ name: 'bodies', total: Number.POSITIVE_INFINITY, perMember: 1, queue: 64, restMs },
  })
  /** Pages of the web app: each asks for several of the above, in turns of their own. */
  readonly views: MemberGate

  constructor(
    peers: Peers,
    { customPlanPool, genericPlanPool }: Pick<Databases, 'customPlanPool' | 'genericPlanPool'>,
  ) {
    const turns = turnsFor({ read: customPlanPool.options.max, page: genericPlanPool.options.max })
    this.pages = new MemberGate(turns.pages, peers)
    this.searches = new MemberGate(turns.searches, peers)
    this.others = new MemberGate(turns.others, peers)
    this.views = new MemberGate(viewTurns, peers)
  }
}

const viewTurns = { name: 'views', total: Number.POSITIVE_INFINITY, perMember: 4, queue: 64, restMs }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For requests that last: they have a limit of their own. */
    hasOwnLimit?: boolean
  }
}

/** Requests of one member that are worked on at once, and that may wait besides. */
const requestLimits = { name: 'requests', total: Number.POSITIVE_INFINITY, perMember: 16, queue: 500, restMs }
/** Requests of one member a second that are worked on, for as long as it pleases them; and at once, after a rest. */
const [steadyRate, burst] = [1_000, 2_000]
/** A request given up counts as so many more: its work is done for nobody. */
const givenUpCost = 10

/**
 * Lets each member have so many requests at work at once, and so many a second: those beyond wait, so that what a
 * process has to do is never all of one member. What is at work in other processes counts, how many a second doesn't.
 * The hook is for when it is settled who calls; the gate is for its metrics.
 */
export function limitRequests({
  peers,
  pace = new MemberPace(steadyRate, burst),
}: {
  peers?: Peers
  pace?: MemberPace | undefined
}): { gate: MemberGate; hook: onRequestHookHandler } {
  const gate = new MemberGate(requestLimits, peers)
  const paced = new Map<string, number>()
  const hook: onRequestHookHandler = (request, reply, done) => {
    const { raw } = reply
    if (request.caller.kind === 'nobody') return done()
    if (raw.destroyed) return done(goneError())
    const member = memberOf(request)
    const held = settleAtEnd(raw, pace, member)
    const enter = () => {
      // Nobody is left to answer, and what is done for nobody would be done without a turn.
      if (raw.destroyed) return done(goneError())
      if (request.routeOptions.config.hasOwnLimit) return done()
      held.turn = gate.tryEnter(member)
      if (held.turn) return done()
      gate.enter(member, cancelWhenGone(reply)).then((given) => {
        held.turn = given
        done()
      }, done)
    }
    const waitMs = pace.take(member)
    if (waitMs === 0) return enter()
    const waiting = paced.get(member) ?? 0
    if (waiting >= requestLimits.queue) return void gate.refuse(cancelWhenGone(reply)).catch(done)
    paced.set(member, waiting + 1)
    setTimeout(() => {
      const left = (paced.get(member) ?? 1) - 1
      if (left > 0) paced.set(member, left)
      else paced.delete(member)
      enter()
    }, waitMs)
  }
  return { gate, hook }
}

/**
 * Ends a request's turn and counts what was given up, once it is over. A function of its own: what it holds on to lasts as long
 * as a stream does, and the hook's own variables hold the whole chain of hooks.
 */
function settleAtEnd(raw: ServerResponse, pace: MemberPace, member: string): { turn: Turn | undefined } {
  const held: { turn: Turn | undefined } = { turn: undefined }
  raw.on('close', () => {
    held.turn?.end()
    if (!raw.writableEnded) pace.take(member, givenUpCost)
  })
  return held
}

/** A turn for whoever asks; throws TOO_MANY_REQUESTS, or an AbortError once the request's connection is gone. */
export function takeTurn(gate: MemberGate, reply: FastifyReply): Turn | Promise<Turn> {
  const member = memberOf(reply.request)
  return gate.tryEnter(member) ?? gate.enter(member, cancelWhenGone(reply))
}

/** A turn for whoever asks for a page of the web app, by member, or by network for those who aren't signed in. */
export async function takeViewTurn(
  { views }: ReadGates,
  identify: Identify,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<Turn> {
  const caller = await identify(reply)
  const isNobody = caller.kind === 'nobody'
  return views.enter(isNobody ? networkOf(callerAddress(reply.request)) : memberOf({ caller }), signal)
}

/** Ends a turn together with the round of the event loop it is in, which is as long as nobody else is served. */
export function endWithRound(turn: Turn): void {
  const began = performance.now()
  setImmediate(() => turn.end(Math.min(bodyRests * (performance.now() - began), longestBodyRestMs)))
}

/** Ends a turn whose work is done once the answer has been read, so that nobody piles up answers without reading them. */
export function endWhenSent(turn: Turn, { raw }: FastifyReply): void {
  turn.worked()
  if (raw.destroyed) {
    turn.end()
    return
  }
  const timer = setTimeout(turn.end, longestSendMs).unref()
  raw.once('close', () => {
    clearTimeout(timer)
    turn.end()
  })
}
