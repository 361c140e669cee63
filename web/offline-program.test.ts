import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

const origin = 'https://deals.example'
const text = readFileSync(new URL('public/service-worker.js', import.meta.url), 'utf8')

/** Caches by name, oldest first, each with what it has by path; a look through all of them is in that order, as in browsers. */
function fakeCaches(stored: Record<string, Record<string, string>>) {
  return {
    match: async (path: string, { cacheName }: { cacheName?: string } = {}) => {
      const looked = cacheName === undefined ? Object.values(stored) : [stored[cacheName] ?? {}]
      return looked.map((cache) => cache[path]).find((file) => file !== undefined)
    },
  }
}

/** Nobody waits for seconds here. */
const soon = (work: () => void, ms: number) => setTimeout(work, ms / 1_000)

/** The listeners of the worker of the build `version`. */
function startWorker(version: string, browser: { fetch?: () => Promise<unknown>; caches: object }) {
  const listeners = new Map<string, (event: unknown) => void>()
  runInNewContext(
    text.replace("version: '', files: []", `version: '${version}', files: ['/before-paint.js']`),
    {
      ...{ URL, Promise, setTimeout: soon, clearTimeout, ...browser },
      Response: { error: () => 'an error' },
      self: {
        location: { origin },
        skipWaiting: () => undefined,
        addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
      },
    },
  )
  return listeners
}

/** What the worker of the build `version` answers from its caches while the server can't be reached. */
async function answerOffline(
  version: string,
  stored: Record<string, Record<string, string>>,
  path: string,
  unreachable: () => Promise<unknown> = () => Promise.reject(new Error('offline')),
) {
  const listeners = startWorker(version, { fetch: unreachable, caches: fakeCaches(stored) })
  const mode = path === '/' ? 'navigate' : 'no-cors'
  let answer: unknown
  listeners.get('fetch')?.({
    request: { method: 'GET', mode, url: origin + path },
    respondWith: (given: unknown) => {
      answer = given
    },
  })
  return answer
}

test('without a connection the current build answers, and an earlier one only with files that no longer exist', async () => {
  const build = (name: string) => ({ '/index.html': `page ${name}`, '/before-paint.js': `theme ${name}` })
  const stored = {
    'program old': { ...build('old'), '/assets/old.js': 'script old' },
    'program new': { ...build('new'), '/assets/new.js': 'script new' },
  }
  const answers = (path: string) => answerOffline('new', stored, path)
  expect(await answers('/')).toBe('page new')
  expect(await answers('/before-paint.js')).toBe('theme new')
  const proxy = async () => ({ ok: false, status: 502 })
  expect(await answerOffline('new', stored, '/before-paint.js', proxy)).toBe('theme new')
  const answered = (status: number) => answerOffline('new', stored, '/', async () => ({ ok: false, status }))
  expect(await Promise.all([502, 504, 521, 530].map(answered))).toEqual(Array(4).fill('page new'))
  expect(await answered(500)).toEqual({ ok: false, status: 500 })
  expect(await answers('/assets/new.js')).toBe('script new')
  // A tab that was opened before the update asks for it.
  expect(await answers('/assets/old.js')).toBe('script old')
})

test('over a connection that hangs the page opens with all that it names', async () => {
  const stored = { 'program new': { '/index.html': 'page', '/before-paint.js': 'theme' } }
  const hanging = () => new Promise<never>(() => {})
  const answer = (path: string) =>
    Promise.race([answerOffline('new', stored, path, hanging), sleep(2_000, 'hangs')])
  expect(await answer('/')).toBe('page')
  expect(await answer('/before-paint.js')).toBe('theme')
})

test('an update that breaks off leaves the builds that are kept alone', async () => {
  for (const before of [[], ['/index.html']]) {
    const names = new Set(['program old'])
    const cache = { addAll: () => Promise.reject(new Error('cut off')), keys: async () => before }
    const caches = {
      open: async (name: string) => {
        names.add(name)
        return cache
      },
      delete: async (name: string) => names.delete(name),
    }
    let work: Promise<unknown> = Promise.resolve()
    startWorker('new', { caches }).get('install')?.({
      waitUntil: (given: Promise<unknown>) => {
        work = given
      },
    })
    await expect(work).rejects.toThrow('cut off')
    // One that is whole is of the same build.
    expect([...names]).toEqual(before.length === 0 ? ['program old'] : ['program old', 'program new'])
  }
})
