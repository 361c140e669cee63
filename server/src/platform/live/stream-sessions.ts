import type { Sessions } from '../accounts/sessions.ts'
import type { StreamReader } from './event-stream.ts'

/** How often open streams are compared with their sessions; a session ended anywhere ends its stream within 5 s. */
const checkEveryMs = 3_000

type Streams = { readers: Iterable<StreamReader>; end(reader: StreamReader): void }

/** Ends the streams whose session is over: at once when this instance hears of it, else at the next check. */
export function endStreamsWithTheirSessions(sessions: Sessions, streams: Streams): NodeJS.Timeout {
  const check = async (chosen: StreamReader[]) => {
    if (chosen.length === 0) return
    const good = await sessions.stillGood([...new Set(chosen.map((reader) => reader.sessionKey))])
    for (const reader of chosen) if (!good.has(reader.sessionKey)) streams.end(reader)
  }
  // While the database is away nobody's session can be judged; the next check will.
  const quietly = (chosen: StreamReader[]) => void check(chosen).catch(() => undefined)
  // Of each member one check is under way and one may follow: whoever ends sessions by the hundred asks no more.
  const checking = new Map<number, boolean>()
  const checkOf = async (userId: number) => {
    checking.set(userId, false)
    await check([...streams.readers].filter((reader) => reader.userId === userId)).catch(() => undefined)
    const isAskedAgain = checking.get(userId)
    checking.delete(userId)
    if (isAskedAgain) await checkOf(userId)
  }
  sessions.onEnded((userId) => {
    if (checking.has(userId)) checking.set(userId, true)
    else void checkOf(userId)
  })
  return setInterval(() => quietly([...streams.readers]), checkEveryMs).unref()
}
