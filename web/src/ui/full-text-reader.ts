export type FullTextShown = { text: string; left: number; width: number; top?: number; bottom?: number }

/** Long enough that a pointer on its way, and a finger that scrolls or presses, raises nothing; in milliseconds. */
const [restMs, holdMs] = [500, 450]
/** How far a finger that holds still may move, in pixels. */
const stillPx = 10

/**
 * Calls `show` with what the reader of a list is to see, and with undefined when that ends, until the signal is aborted.
 * `last` is what the reader has done last.
 */
export function followReader(
  list: HTMLElement,
  show: (shown: FullTextShown | undefined) => void,
  signal: AbortSignal,
  last: Event | undefined,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: HTMLElement | undefined
  let heldAt: { x: number; y: number } | undefined
  /** A finger that has read the text doesn't open what it has held. */
  let wasHeld = false

  const end = () => {
    clearTimeout(timer)
    current = undefined
    heldAt = undefined
    show(undefined)
  }
  const showSoon = (target: EventTarget | null, ms: number, onShown?: () => void) => {
    const text = findText(target)
    if (text !== undefined && text === current) return
    end()
    if (text === undefined) return
    current = text
    timer = setTimeout(() => {
      if (!text.isConnected || !isCut(text)) return
      show(placeOver(text))
      onShown?.()
    }, ms)
  }
  const onOver = ({ pointerType, target }: PointerEvent) => {
    if (pointerType === 'mouse') showSoon(target, restMs)
  }
  const onDown = ({ pointerType, target, clientX, clientY }: PointerEvent) => {
    wasHeld = false
    if (pointerType === 'mouse') return end()
    showSoon(target, holdMs, () => {
      wasHeld = true
    })
    heldAt = { x: clientX, y: clientY }
  }
  const onFocus = ({ target }: Event) => {
    if (target instanceof Element && target.matches(':focus-visible')) showSoon(target, 0)
  }
  const onMove = ({ clientX, clientY }: PointerEvent) => {
    if (heldAt && Math.hypot(clientX - heldAt.x, clientY - heldAt.y) > stillPx) end()
  }

  // The next press, wherever it is, puts away what a finger has left standing.
  window.addEventListener('pointerdown', end, { capture: true, signal })
  window.addEventListener('scroll', end, { passive: true, signal })
  window.addEventListener('keydown', ({ key }) => key === 'Escape' && end(), { signal })
  list.addEventListener('pointerover', onOver, { signal })
  list.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && end(), { signal })
  list.addEventListener('focusin', onFocus, { signal })
  list.addEventListener('focusout', end, { signal })
  list.addEventListener('pointerdown', onDown, { signal })
  list.addEventListener('pointermove', onMove, { signal })
  list.addEventListener('pointercancel', end, { signal })
  list.addEventListener('pointerup', () => !wasHeld && heldAt && end(), { signal })
  for (const name of ['contextmenu', 'click'])
    list.addEventListener(name, (event) => wasHeld && event.preventDefault(), { capture: true, signal })
  signal.addEventListener('abort', end, { once: true })

  if (last?.type === 'focusin') onFocus(last)
  if (last instanceof PointerEvent && last.type === 'pointerover') onOver(last)
  if (last instanceof PointerEvent && last.type === 'pointerdown') onDown(last)
}

/** The text of the article that an event happened in, unless that was at something with words of its own. */
function findText(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof Element) || target.closest('button, time')) return undefined
  return target.closest('article')?.querySelector<HTMLElement>('[data-full-text]') ?? undefined
}

/** Whether an element shows less than its text. */
function isCut(element: HTMLElement): boolean {
  const { scrollHeight, clientHeight, scrollWidth, clientWidth, textContent } = element
  return (
    scrollHeight > clientHeight + 1 || scrollWidth > clientWidth || textContent !== element.dataset.fullText
  )
}

const [leastWidth, leastHeight] = [288, 144]
const paddingPx = 12

/** Over the element and downwards from it, since a price stands above; upwards near the lower edge only. */
function placeOver(element: HTMLElement): FullTextShown {
  const { left, top, bottom, width: wide } = element.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const width = Math.min(Math.max(wide, leastWidth) + 2 * paddingPx, clientWidth - 2 * paddingPx)
  const place = {
    text: element.dataset.fullText ?? '',
    left: Math.max(paddingPx, Math.min(left - paddingPx, clientWidth - paddingPx - width)),
    width,
  }
  return top < clientHeight - leastHeight
    ? { ...place, top: top - paddingPx / 2 }
    : { ...place, bottom: clientHeight - bottom - paddingPx / 2 }
}
