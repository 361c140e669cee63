import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openLive } from './live.ts'

/** The browser's EventSource as far as it is used, driven by the test. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2
  static made: FakeSource[] = []
  readyState = 0
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null
  readonly url: string

  constructor(url: string) {
    super()
    this.url = url
    FakeSource.made.push(this)
  }

  open() {
    this.readyState = 1
    this.onopen?.()
  }

  fail(readyState: 0 | 2) {
    this.readyState = readyState
    this.onerror?.()
  }

  close() {
    this.readyState = 2
  }
}

const seen: string[] = []
const handlers = {
  onEvent: (name: string, data: unknown) => seen.push(`${name} ${JSON.stringify(data)}`),
  onState: (state: string) => seen.push(state),
  onOpen: (resumed: boolean) => seen.push(resumed ? 'resumed' : 'fresh'),
  onRefused: () => seen.push('refused'),
}

function last(): FakeSource {
  const source = FakeSource.made.at(-1)
  if (source === undefined) throw new Error('no connection was opened')
  return source
}

beforeEach(() => {
  vi.useFakeTimers()
  seen.length = 0
  FakeSource.made = []
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('window', new EventTarget())
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the live connection', () => {
  it('hands over events by name and survives a payload that is no JSON', () => {
    openLive('/events', ['deals'], handlers)
    last().open()
    last().dispatchEvent(new MessageEvent('deals', { data: '{"revision":1}' }))
    last().dispatchEvent(new MessageEvent('deals', { data: 'half a' }))
    last().dispatchEvent(new MessageEvent('other', { data: '1' }))
    expect(seen).toEqual(['connecting', 'open', 'fresh', 'deals {"revision":1}', 'deals undefined'])
  })

  it('leaves a lost connection to the browser, which resumes it', () => {
    openLive('/events', ['deals'], handlers)
    last().open()
    last().fail(0)
    vi.advanceTimersByTime(120_000)
    last().open()
    expect(FakeSource.made).toHaveLength(1)
    expect(seen).toEqual(['connecting', 'open', 'fresh', 'down', 'open', 'resumed'])
  })

  it('opens a refused stream again, with growing pauses', () => {
    openLive('/events', [], handlers)
    const waited = [0, 1, 2, 3, 4, 5, 6, 7].map(() => {
      const before = FakeSource.made.length
      last().fail(2)
      let ms = 0
      while (FakeSource.made.length === before) {
        vi.advanceTimersByTime(100)
        ms += 100
      }
      return ms
    })
    expect(waited[0]).toBeLessThanOrEqual(1_300)
    expect(waited[3]).toBeGreaterThanOrEqual(3_000)
    expect(Math.max(...waited)).toBeLessThanOrEqual(5_100)
    last().open()
    expect(seen).toEqual([
      'connecting',
      'down',
      'refused',
      ...waited.slice(1).map(() => 'refused'),
      'open',
      'fresh',
    ])
  })

  it('goes on from the last id it was given, by whatever event, where the browser does not', () => {
    openLive('/events', ['deals'], handlers, 'e-1')
    expect(last().url).toBe('/events?last_event_id=e-1')
    last().open()
    last().dispatchEvent(new MessageEvent('deals', { data: '1', lastEventId: 'e-2' }))
    last().dispatchEvent(new MessageEvent('deals', { data: '2' }))
    last().fail(2)
    vi.advanceTimersByTime(5_000)
    expect(last().url).toBe('/events?last_event_id=e-2')
    last().open()
    expect(seen).toEqual([
      'connecting',
      'open',
      'resumed',
      'deals 1',
      'deals 2',
      'down',
      'refused',
      'open',
      'resumed',
    ])
  })

  it('takes the state a stream begins with for what it is', () => {
    openLive('/events', ['database'], handlers)
    last().open()
    last().dispatchEvent(new MessageEvent('database', { data: '{"is_away":false}' }))
    expect(seen).toEqual(['connecting', 'open', 'fresh', 'database {"is_away":false}'])
  })

  it('tries again at once when the network is back', () => {
    openLive('/events', [], handlers)
    last().fail(2)
    window.dispatchEvent(new Event('online'))
    expect(FakeSource.made).toHaveLength(2)
    last().open()
    window.dispatchEvent(new Event('online'))
    expect(FakeSource.made).toHaveLength(2)
  })

  it('is down as soon as the network is, unless the server answers all the same', () => {
    openLive('/events', ['deals'], handlers)
    last().open()
    last().dispatchEvent(new MessageEvent('deals', { data: '1', lastEventId: 'e-1' }))
    window.dispatchEvent(new Event('offline'))
    expect(seen.slice(-1)).toEqual(['down'])
    expect(FakeSource.made).toHaveLength(2)
    expect(FakeSource.made[0]?.readyState).toBe(2)
    last().open()
    expect(seen.slice(-2)).toEqual(['open', 'resumed'])
    window.dispatchEvent(new Event('offline'))
    last().fail(0)
    window.dispatchEvent(new Event('online'))
    expect(FakeSource.made).toHaveLength(4)
    expect(last().url).toBe('/events?last_event_id=e-1')
  })

  it('says when the server has lost its database, and that everything is to be looked at when it is back', () => {
    openLive('/events', ['deals'], handlers)
    last().open()
    last().dispatchEvent(new MessageEvent('database', { data: '{"is_away":true}' }))
    last().dispatchEvent(new MessageEvent('database', { data: '{"is_away":false}' }))
    const states = seen.filter((word) => !word.startsWith('database'))
    expect(states).toEqual(['connecting', 'open', 'fresh', 'away', 'open', 'fresh'])
  })

  it('counts a connection that hangs as down', () => {
    openLive('/events', [], handlers)
    vi.advanceTimersByTime(5_000)
    expect(seen).toEqual(['connecting', 'down'])
  })

  it('ends for good', () => {
    const end = openLive('/events', [], handlers)
    last().fail(2)
    end()
    vi.advanceTimersByTime(120_000)
    window.dispatchEvent(new Event('online'))
    expect(FakeSource.made).toHaveLength(1)
  })
})
