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

/** What the worker of the build `version` answers from its caches while the server can't be reached. */
async function answerOffline(
  version: string,
  stored: Record<string, Record<string, string>>,
  path: string,
  unreachable: () => Promise<unknown> = () => Promise.reject(new Error('offline')),
) {
  const listeners = new Map<string, (event: unknown) => void>()
  runInNewContext(
    text.replace("version: '', files: []", `version: '${version}', files: ['/before-paint.js']`),
    {
      ...{ URL, Promise, setTimeout: soon, clearTimeout, fetch: unreachable, caches: fakeCaches(stored) },
      Response: { error: () => 'an error' },
      self: {
        location: { origin },
        addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
      },
    },
  )
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
