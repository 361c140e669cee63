import type { z } from 'zod'

type JobLimits = {
  /** How often a job that failed is tried again; after that it waits to be found due once more. */
  retries: number
  /** How long it may take, in seconds; then its signal is aborted, and it counts as failed. */
  timeLimitSeconds: number
  /** How many of the kind one process does at once. */
  concurrency: number
}

type Definition<P extends object> = {
  /** Letters and dashes: the name of its queue and its label in `/metrics`. */
  name: string
  payload: z.ZodType<P>
  limits: JobLimits
  /** Seconds between two looks at the tables; 0 looks at every beat. */
  lookEverySeconds: number
  /**
   * What is to be done, by what our own tables say now; a hundred at most. A payload that waits or is under way is not
   * queued again, so this may be asked as often as one likes, by any number of processes.
   */
  due(): Promise<P[]>
  /**
   * Does one of them. It may be done twice, even at once, where a process was killed or frozen: what is done already must
   * make no difference. It ends soon once `signal` is aborted.
   */
  run(payload: P, signal: AbortSignal): Promise<void>
}

/** A kind of work in the background, whatever its payload is. */
export type JobKind = {
  readonly name: string
  readonly limits: JobLimits
  readonly lookEverySeconds: number
  due(): Promise<object[]>
  /** Throws a ZodError for a payload of another shape, such as one that another version has queued. */
  run(payload: unknown, signal: AbortSignal): Promise<void>
}

/** Makes a kind for the list in `app.ts`. */
export function jobKind<P extends object>(definition: Definition<P>): JobKind {
  const { name, limits, lookEverySeconds, payload, due, run } = definition
  return {
    ...{ name, limits, lookEverySeconds, due },
    run: async (data, signal) => run(payload.parse(data), signal),
  }
}
