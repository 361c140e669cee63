const firstPauseMs = 2_000
const longestPauseMs = 60_000
/** A request over a connection that died unnoticed ends minutes later, if at all; the next run doesn't wait for it any longer. */
const longestWaitMs = 10_000

/**
 * Runs `work` once, `ms` after the first of several calls. A call while it runs is for the next run, `ms` after the end of
 * this one, so that an older answer can't come after a newer one. When it throws or rejects it runs again, after growing
 * pauses and as soon as the device is online again, until it succeeds or is stopped; so it must leave to the next run what
 * it could not do.
 */
export function later(ms: number, work: () => unknown): { run: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let failures = 0
  let isStopped = false
  let isWanted = false
  let running: object | undefined

  function schedule(pause: number) {
    // A call that comes while a failed run waits for its next attempt needn't wait for so long.
    if (isStopped || Date.now() + pause >= dueAt) return
    clearTimeout(timer)
    dueAt = Date.now() + pause
    timer = setTimeout(() => void attempt(), pause)
  }

  function run() {
    if (running) isWanted = true
    else schedule(ms)
  }

  async function attempt() {
    dueAt = Number.POSITIVE_INFINITY
    isWanted = false
    const mine = {}
    running = mine
    const waiting = setTimeout(letNextRun, longestWaitMs, mine)
    try {
      await work()
      if (failures > 0) window.removeEventListener('online', run)
      failures = 0
    } catch {
      if (failures === 0 && !isStopped) window.addEventListener('online', run)
      failures += 1
      // Spread out, so that a server that is back is not met by everybody at once.
      const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
      schedule(pause * (0.75 + Math.random() / 2))
    }
    clearTimeout(waiting)
    letNextRun(mine)
  }

  function letNextRun(after: object) {
    if (running !== after) return
    running = undefined
    if (isWanted) schedule(ms)
  }

  const stop = () => {
    isStopped = true
    clearTimeout(timer)
    if (failures > 0) window.removeEventListener('online', run)
  }
  return { run, stop }
}
