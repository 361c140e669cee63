import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { threadArguments } from '../../../../platform/thread-arguments.ts'
import { type ReadFeed, type ReceivedFeed, rowsOfFeed } from './feed-rows.ts'

/** A feed of so many bytes is read in less time than a thread takes to start, whatever it holds. */
const smallBytes = 32 * 1024
/** What takes longer, in milliseconds, or more memory was made to keep somebody busy. */
const mostOfThread = { ms: 120_000, heapMb: 1_024 }

/** Each may take hundreds of megabytes, however many sources are asked at once. */
const inTurn = pLimit(1)

const tooLong = 'The feed takes too long or too much memory to be read.'

/**
 * Reads a feed without keeping others from their turn: in a thread of its own unless it is small, one after the other. Returns
 * the problem in words where there is none to be read; throws the signal's reason once that is aborted.
 */
export async function readFeed(
  feed: ReceivedFeed,
  signal: AbortSignal,
  most = mostOfThread,
): Promise<ReadFeed | { problem: string }> {
  if (feed.bytes.length <= smallBytes) return rowsOfFeed(feed)
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const leave = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', leave)
  try {
    // Whoever waits for its turn, behind others that may take long, leaves at once.
    return await Promise.race([inTurn(() => readInThread(feed, signal, most)), aborted.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

async function readInThread(
  feed: ReceivedFeed,
  signal: AbortSignal,
  most: typeof mostOfThread,
): Promise<ReadFeed | { problem: string }> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./feed-thread.ts', import.meta.url), {
    workerData: feed,
    execArgv: threadArguments(),
    resourceLimits: { maxOldGenerationSizeMb: most.heapMb },
  })
  // Where it fails only once it has been given up, nobody else hears of it, and that would end the process.
  worker.on('error', () => {})
  try {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(most.ms)])
    const [read] = await once(worker, 'message', { signal: ended })
    return read
  } catch (error) {
    signal.throwIfAborted()
    const { name, code } = Object(error)
    if (name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY') return { problem: tooLong }
    throw error
  } finally {
    await worker.terminate()
  }
}
