import { eventsPath, liveEventSchema } from '@dealdeck/contract/events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LiveHandlers } from './live.ts'
import { shareEvents, shareLive } from './shared-live.ts'

// Locks and channels are the real ones, which Node has as browsers do; only the stream and each tab's page are made up.
type Stream = { tab: string; names: readonly string[]; id: string; handlers: LiveHandlers; isOpen: boolean }
const opened: Stream[] = []
vi.mock('./live.ts', () => ({
  openLive: (tab: string, names: readonly string[], handlers: LiveHandlers, id: string) => {
    const stream = { tab, names, id, handlers, isOpen: true }
    opened.push(stream)
    handlers.onState('connecting')
    return () => {
      stream.isOpen = false
    }
  },
}))

class Page extends EventTarget {
  visibilityState = 'visible'
  turn(visibilityState: 'visible' | 'hidden') {
    this.visibilityState = visibilityState
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

const ends: (() => void)[] = []
let browser = 0

/** Opens a tab of the browser, which a test has for itself. */
function openTab(tab: string, visibility: 'visible' | 'hidden' = 'visible', firstId?: string) {
  const page = new Page()
  page.visibilityState = visibility
  vi.stubGlobal('document', page)
  const seen: string[] = []
  const handlers: LiveHandlers = {
    onEvent: (name, _data, id) => void seen.push(`${name} ${id}`),
    onState: (state) => void seen.push(state),
    onOpen: (resumed) => void seen.push(resumed ? 'resumed' : 'fresh'),
    onRefused: () => void seen.push('refused'),
  }
  const end = shareLive(tab, ['deals'], handlers, `browser ${browser}`, firstId)
  ends.push(end)
  return { seen, page, end }
}

const open = () => opened.filter(({ isOpen }) => isOpen)

/** Waits until this tab, and no other, has the stream. */
async function streamOf(tab: string): Promise<Stream> {
  return vi.waitUntil(() => {
    const [stream] = open()
    return stream?.tab === tab && open().length === 1 && stream
  })
}

/** What the stream says when it has opened, with the event of that id. */
function start({ handlers }: Stream, id: string, resumed = false): void {
  handlers.onState('open')
  handlers.onOpen(resumed)
  handlers.onEvent('database', {}, id)
}

beforeEach(() => {
  browser += 1
  opened.length = 0
})
afterEach(() => {
  for (const end of ends.splice(0)) end()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('of several tabs one has a stream, and all hear the same', async () => {
  const one = openTab('one')
  start(await streamOf('one'), 'e-1')
  const tabs = [one, openTab('two'), openTab('three'), openTab('four', 'hidden')]
  for (const { seen } of tabs.slice(1)) await expect.poll(() => seen).toEqual(['open', 'fresh'])
  const { handlers } = await streamOf('one')
  handlers.onEvent('deals', { revision: 2 }, 'e-2')
  handlers.onState('down')
  handlers.onRefused()
  handlers.onState('open')
  handlers.onOpen(true)
  const heard = ['deals e-2', 'down', 'refused', 'open', 'resumed']
  expect(one.seen).toEqual(['open', 'fresh', 'database e-1', ...heard])
  for (const { seen } of tabs.slice(1)) await expect.poll(() => seen).toEqual(['open', 'fresh', ...heard])
  expect(opened).toHaveLength(1)
})

test('the next tab goes on from the last event, and nobody notices', async () => {
  const one = openTab('one')
  start(await streamOf('one'), 'e-1')
  const rest = [openTab('two'), openTab('three')]
  for (const { seen } of rest) await expect.poll(() => seen).toContain('fresh')
  one.end()
  const next = await streamOf('two')
  expect(next.id).toBe('e-1')
  start(next, 'e-1', true)
  next.handlers.onEvent('deals', { revision: 2 }, 'e-2')
  const heard = ['open', 'fresh', 'resumed', 'database e-1', 'deals e-2']
  for (const { seen } of rest) await expect.poll(() => seen).toEqual(heard)
})

test('a tab begins where its page was made, unless it hears of the stream of another first', async () => {
  const one = openTab('one', 'visible', 'e-3')
  const stream = await streamOf('one')
  expect(stream.id).toBe('e-3')
  start(stream, 'e-3', true)
  expect(one.seen).toEqual(['open', 'resumed', 'database e-3'])
  const [two, three] = [openTab('two', 'visible', 'e-4'), openTab('three', 'hidden', 'e-3')]
  await expect.poll(() => two.seen).toEqual(['open', 'fresh'])
  // Of the same moment as what the other tab has heard.
  await expect.poll(() => three.seen).toEqual(['open', 'resumed'])
  stream.handlers.onEvent('deals', { revision: 5 }, 'e-5')
  await expect.poll(() => two.seen).toContain('deals e-5')
  one.end()
  expect((await streamOf('two')).id).toBe('e-5')
})

test('a stream that could not go on is fresh for all', async () => {
  const one = openTab('one')
  const { handlers } = await streamOf('one')
  handlers.onState('open')
  handlers.onOpen(false)
  const [two, three] = [openTab('two'), openTab('three')]
  for (const { seen } of [two, three]) await expect.poll(() => seen).toContain('fresh')
  one.end()
  start(await streamOf('two'), 'e-7', false)
  for (const { seen } of [two, three])
    await expect.poll(() => seen).toEqual(['open', 'fresh', 'fresh', 'database e-7'])
})

test('a tab that is looked at takes the stream over from one that is not', async () => {
  const [one, two] = [openTab('one'), openTab('two')]
  start(await streamOf('one'), 'e-1')
  await expect.poll(() => two.seen).toContain('fresh')
  one.page.turn('hidden')
  start(await streamOf('two'), 'e-1', true)
  // Both are hidden now, so the last one that was looked at keeps the stream.
  two.page.turn('hidden')
  const three = openTab('three', 'hidden')
  await expect.poll(() => three.seen).toContain('fresh')
  expect((await streamOf('two')).isOpen).toBe(true)
  one.page.turn('visible')
  const { id } = await streamOf('one')
  expect(id).toBe('e-1')
  expect(one.seen.filter((word) => word === 'fresh')).toHaveLength(1)
})

test('a tab opened where nobody looks has the stream while nobody else has it', async () => {
  openTab('one', 'hidden')
  start(await streamOf('one'), 'e-1')
  const two = openTab('two', 'visible', 'e-0')
  const stream = await streamOf('two')
  expect(stream.id).toBe('e-0')
  expect(two.seen).toEqual([])
  start(stream, 'e-1', true)
  expect(two.seen).toEqual(['open', 'resumed', 'database e-1'])
})

test('a tab that does not answer loses the stream, and joins the others when it wakes', async () => {
  const one = openTab('one')
  start(await streamOf('one'), 'e-1')
  const two = openTab('two', 'hidden')
  await expect.poll(() => two.seen).toContain('fresh')
  one.page.turn('hidden')
  await navigator.locks.query()
  // As when it sleeps: it holds its lock, and hears and says nothing.
  const asleep = vi.spyOn(BroadcastChannel.prototype, 'postMessage').mockReturnValue(undefined)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  two.page.turn('visible')
  vi.advanceTimersByTime(1_999)
  await navigator.locks.query()
  expect(open()).toMatchObject([{ tab: 'one' }])
  vi.advanceTimersByTime(1)
  asleep.mockRestore()
  const stream = await streamOf('two')
  expect(stream.id).toBe('e-1')
  start(stream, 'e-1', true)
  await expect.poll(() => one.seen.at(-1)).toBe('database e-1')
  expect(one.seen.filter((word) => word === 'fresh')).toHaveLength(1)
})

test('what a tab missed while it was asleep is made up for when it is looked at', async () => {
  openTab('one')
  const { handlers } = await streamOf('one')
  start(await streamOf('one'), 'e-1')
  const two = openTab('two')
  await expect.poll(() => two.seen).toEqual(['open', 'fresh'])
  two.page.turn('hidden')
  two.page.turn('visible')
  handlers.onEvent('deals', {}, 'e-2')
  await expect.poll(() => two.seen).toContain('deals e-2')
  const silent = vi.spyOn(BroadcastChannel.prototype, 'postMessage').mockImplementationOnce(() => undefined)
  handlers.onEvent('deals', {}, 'e-3')
  silent.mockRestore()
  two.page.turn('hidden')
  two.page.turn('visible')
  await expect.poll(() => two.seen).toEqual(['open', 'fresh', 'deals e-2', 'fresh'])
})

test('without locks each tab has its own stream while it is looked at, and goes on where it was', async () => {
  vi.stubGlobal('navigator', {})
  const [one, two] = [openTab('one'), openTab('two', 'hidden')]
  start(await streamOf('one'), 'e-1')
  one.page.turn('hidden')
  expect(open()).toEqual([])
  two.page.turn('visible')
  expect((await streamOf('two')).id).toBe('')
  two.page.turn('hidden')
  one.page.turn('visible')
  const again = await streamOf('one')
  expect(again.id).toBe('e-1')
  start(again, 'e-1', true)
  expect(one.seen).toEqual(['open', 'fresh', 'database e-1', 'resumed', 'database e-1'])
})

test('who has ended hears nothing and leaves no stream, whatever it waited for', async () => {
  const one = openTab('one')
  start(await streamOf('one'), 'e-1')
  const two = openTab('two')
  await expect.poll(() => two.seen).toContain('fresh')
  two.end()
  one.end()
  await expect.poll(async () => (await navigator.locks.query()).held).toEqual([])
  expect(open()).toEqual([])
})

test('every event of the contract is asked for, at its one address', async () => {
  vi.stubGlobal('document', new Page())
  const ignore = () => undefined
  ends.push(
    shareEvents(
      { onEvent: ignore, onState: ignore, onOpen: ignore, onRefused: ignore },
      `browser ${browser}`,
      '',
    ),
  )
  const { names } = await streamOf(eventsPath)
  expect(names.toSorted()).toEqual(liveEventSchema.options.map(({ shape }) => shape.event.value).toSorted())
})
