/** Runs `work` once, some time after the first of several calls. */
export function later(ms: number, work: () => unknown): { run: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    run: () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void Promise.resolve(work()).catch(() => undefined)
      }, ms)
    },
    stop: () => clearTimeout(timer),
  }
}
