import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

const script = readFileSync(new URL('public/before-paint.js', import.meta.url), 'utf8')

/** A page that holds a program, as the script sees it; `paintings` are whom the browser tells of a painting. */
function openPage(visibilityState: 'visible' | 'hidden', knowsPaint = true) {
  const held: { content: string[] } = { content: ['program'] }
  const begun: string[] = []
  const paintings: (() => void)[] = []
  const listeners = new Map<string, () => void>()
  const listen = (name: string, listener: () => void) => listeners.set(name, listener)
  class PerformanceObserver {
    readonly tell: () => void
    constructor(tell: () => void) {
      this.tell = tell
    }
    observe({ type }: { type: string }) {
      if (type === 'paint') paintings.push(this.tell)
    }
  }
  runInNewContext(script, {
    ...{
      JSON,
      localStorage: { getItem: () => null },
      matchMedia: () => ({ matches: false }),
      PerformanceObserver,
    },
    window: { addEventListener: listen, ...(knowsPaint && { PerformanceObserver }) },
    document: {
      ...{ visibilityState, addEventListener: listen, documentElement: { setAttribute: () => undefined } },
      getElementById: (id: string) => (id === 'after-paint' ? held : null),
      // As a fragment does, it leaves its place.
      head: { append: (content: string[]) => begun.push(...content.splice(0)) },
    },
  })
  return { begun, paintings, listeners }
}

test('the program begins once, when the page is painted', () => {
  const { begun, paintings, listeners } = openPage('visible')
  expect(begun).toEqual([])
  for (const tell of paintings) tell()
  expect(begun).toEqual(['program'])
  listeners.get('load')?.()
  listeners.get('visibilitychange')?.()
  expect(begun).toEqual(['program'])
})

test.each(['load', 'visibilitychange'])('in a tab that nobody looks at it begins at %s', (name) => {
  const { begun, paintings, listeners } = openPage('hidden')
  expect([begun, paintings]).toEqual([[], []])
  listeners.get(name)?.()
  expect(begun).toEqual(['program'])
})

test('a browser that doesn’t say what it paints begins it when the page is there', () => {
  const { begun, listeners } = openPage('visible', false)
  listeners.get('load')?.()
  expect(begun).toEqual(['program'])
})
