import { setTimeout as sleep } from 'node:timers/promises'

// What a member notices of others: asked for as their screens do, and timed.

/** What they search for. */
export const searched = ['kitchen', 'usb', 'lantern', 'water bottle', 'steel', 'garden', 'cable', 'shirt']

/** A member with an open session, who can also sign in anew. */
export type Bystander = { url: string; cookie: string; signIn(): Promise<unknown> }

/** Times in milliseconds, by what was asked for; `faults` are answers nobody should get. */
export type Seen = {
  feed: number[]
  search: number[]
  session: number[]
  signIn: number[]
  ready: number[]
  faults: string[]
}

/** Asks as a member does, for `ms`. */
export async function watch({ url, cookie, signIn }: Bystander, ms: number): Promise<Seen> {
  const seen: Seen = { feed: [], search: [], session: [], signIn: [], ready: [], faults: [] }
  const end = performance.now() + ms
  const repeat = async (times: number[], pauseMs: number, ask: () => Promise<unknown>) => {
    while (performance.now() < end) {
      const begin = performance.now()
      const answer = await ask().catch((error: Error) => seen.faults.push(error.message))
      if (answer instanceof Response) {
        await answer.arrayBuffer()
        if (answer.status !== 200) seen.faults.push(`${answer.status} ${new URL(answer.url).pathname}`)
      }
      times.push(performance.now() - begin)
      await sleep(pauseMs)
    }
  }
  const get = (path: string) => fetch(url + path, { headers: { cookie } })
  let turn = 0
  await Promise.all([
    repeat(seen.feed, 10, () => get('/api/products?max_price=30')),
    repeat(seen.session, 50, () => get('/api/session')),
    repeat(seen.ready, 100, () => get('/readyz')),
    repeat(seen.search, 50, () => {
      turn += 1
      const word = encodeURIComponent(searched[turn % searched.length] ?? '')
      return get(`/api/products?search=${word}&max_price=${(5 + Math.random() * 500).toFixed(2)}`)
    }),
    repeat(seen.signIn, 300, signIn),
  ])
  return seen
}

/** The time that this share of all took no longer than. */
export function percentile(share: number, times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? Number.NaN
}
