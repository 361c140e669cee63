/**
 * Browsers report 'ResizeObserver loop …' as an error although nothing is wrong: the observation just continues in the next frame.
 * Keeps such reports from error handlers and the console; every other error passes untouched.
 */
export function suppressResizeObserverNoise(target: EventTarget): void {
  target.addEventListener(
    'error',
    (event) => {
      if (!(event instanceof ErrorEvent) || !isResizeNoise(event.message)) return
      event.stopImmediatePropagation()
      event.preventDefault()
    },
    { capture: true },
  )
}

/** Whether an error's message is one of the browsers' resize-observer loop reports. */
export function isResizeNoise(message: string): boolean {
  return /^(Uncaught )?(Error: )?ResizeObserver loop (limit exceeded|completed with undelivered notifications)/.test(
    message,
  )
}
