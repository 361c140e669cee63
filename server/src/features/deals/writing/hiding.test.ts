import type { AuditEntry } from '@dealdeck/contract/audit'
import type { Deal } from '@dealdeck/contract/deals'
import { expect, test, vi } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../../testing/app.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { withDealWrites } from '../actions.ts'
import { hideMatching, showMatching } from './blacklisting.ts'

const { app, databases, signIn } = await buildTestApp()
const [admin, user] = [await signIn('admin'), await signIn('user')]

async function call(who: SignedIn, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) {
  const answer = await app.inject({ method, url, headers: who.headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.json() }
}
const get = async (url: string, who = user) => (await call(who, 'GET', url)).body

type Row = { asin: string; title: string; price: number; availability: string }
// A word of its own for each, since nothing is deleted between the tests.
const row = (asin = nextAsin()): Row => ({
  ...{ asin, title: `Walnut gong ${wordOf(asin)}`, price: 20, availability: 'In stock' },
})
const wordOf = (asin: string) => `walnut${asin.toLowerCase()}`
async function imported(deal: Row): Promise<number> {
  const { body } = await call(admin, 'POST', '/api/products/import?file=gongs.csv', [deal])
  expect(body).toMatchObject({ rejected: [] })
  return (await get(`/api/products/by-asin/${deal.asin}`, admin)).id
}
const hide = (id: number, is_hidden: boolean, who = admin) =>
  call(who, 'PUT', `/api/products/${id}/hidden`, { is_hidden })
const idsOf = async (query: string, who = user) =>
  (await get(`/api/products?${query}`, who)).items.map(({ id }: Deal) => id)
/** By which events a deal came and went, as open feeds are told; its verdict comes with others when it will. */
async function comings(id: number): Promise<string[]> {
  const { rows } = await databases.customPlanPool.query<{ came: boolean }>(
    'select $1 = any(added) as came from feed_events where $1 = any(added || removed) order by revision',
    [id],
  )
  return rows.map(({ came }) => (came ? 'added' : 'removed'))
}

/** Where a member might find a deal. */
const lists = (id: number, word: string) => [
  ...['sort=newest', `search=${word}`, `q=${word}`, 'q=price%3A%3C100', 'sort=updated', `ids=${id}`],
]

test('a member finds a hidden deal nowhere, and all of it again once it is shown', async () => {
  const deal = row()
  const id = await imported(deal)
  const word = wordOf(deal.asin)
  const total = (await get('/api/products/stats')).total_deals
  const pages = ['', '/prices', '/verdict'].map((more) => `/api/products/${id}${more}`)
  pages.push(`/api/products/by-asin/${deal.asin}`)
  for (const is_hidden of [false, true, false]) {
    if (is_hidden || (await get(`/api/products/${id}/hidden`, admin)).is_hidden) await hide(id, is_hidden)
    for (const query of lists(id, word))
      await vi.waitFor(async () => expect((await idsOf(query)).includes(id), query).toBe(!is_hidden))
    for (const page of pages) {
      expect((await call(user, 'GET', page)).status, page).toBe(is_hidden ? 404 : 200)
      expect((await call(admin, 'GET', page)).status, page).toBe(200)
    }
    expect(await get(`/api/products/count?q=${word}`)).toMatchObject({ count: is_hidden ? 0 : 1 })
    expect(await get('/api/products/stats')).toMatchObject({ total_deals: is_hidden ? total - 1 : total })
  }
})

test('saved searches count a hidden deal no more, and their feeds leave it out', async () => {
  const [deal, other] = [row(), row()]
  const id = await imported(deal)
  const q = `${wordOf(deal.asin)} OR ${wordOf(other.asin)}`
  const search = await call(user, 'POST', '/api/searches', { name: 'Gongs', q })
  const feed = await call(user, 'POST', `/api/searches/${search.body.id}/feeds`, { kind: 'deals' })
  const titles = async () =>
    (await app.inject(`${new URL(feed.body.url).pathname}.json`)).json().items.map(({ title }: Deal) => title)
  const newOnes = async () => (await get('/api/searches')).items[0].new_count
  expect(await titles()).toEqual([expect.stringContaining('Walnut gong')])
  const another = await imported(other)
  await vi.waitFor(async () => expect(await newOnes()).toBe(1))
  await hide(id, true)
  await hide(another, true)
  await vi.waitFor(async () => expect([await titles(), await newOnes()]).toEqual([[], 0]))
})

test('open feeds are told as when a deal goes and comes', async () => {
  const id = await imported(row())
  expect((await hide(id, true)).body).toEqual({ is_hidden: true, hidden_at: expect.any(String) })
  expect(await comings(id)).toEqual(['added', 'removed'])
  expect((await hide(id, false)).body).toEqual({ is_hidden: false, hidden_at: null })
  expect(await comings(id)).toEqual(['added', 'removed', 'added'])
})

test('administrators find hidden deals by is:hidden', async () => {
  const [id, shown] = [await imported(row()), await imported(row())]
  await hide(id, true)
  const found = await idsOf('q=is%3Ahidden', admin)
  expect([found.includes(id), found.includes(shown)]).toEqual([true, false])
  expect(await get(`/api/products/${id}/hidden`, admin)).toMatchObject({ is_hidden: true })
  // Of a member it is no question.
  expect(await idsOf('q=is%3Ahidden', user)).not.toContain(id)
})

test('imports and words leave a hidden deal hidden, and its prices are kept on', async () => {
  const deal = row()
  const id = await imported(deal)
  await hide(id, true)
  await imported({ ...deal, price: 12 })
  await withDealWrites(databases, (writes) => hideMatching(writes, wordOf(deal.asin)))
  await withDealWrites(databases, (writes) => showMatching(writes, wordOf(deal.asin)))
  expect(await idsOf('sort=newest')).not.toContain(id)
  const prices = await get(`/api/products/${id}/prices`, admin)
  expect(prices.map(({ price }: { price: number }) => price)).toEqual([20, 12])
  // Of the words and the import nobody was told.
  await hide(id, false)
  expect(await comings(id)).toEqual(['added', 'removed', 'added'])
  expect(await get(`/api/products/${id}`)).toMatchObject({ price: 12 })
})

test('a word that meets a hidden deal removes nothing from open feeds', async () => {
  const deal = row()
  const id = await imported(deal)
  await hide(id, true)
  expect(await withDealWrites(databases, (writes) => hideMatching(writes, wordOf(deal.asin)))).toBe(0)
  expect(await comings(id)).toEqual(['added', 'removed'])
})

test('each change is in the audit list once, and what is none is not', async () => {
  const deal = row()
  const id = await imported(deal)
  const first = await hide(id, true)
  // Since when stays what it was.
  expect(await hide(id, true)).toEqual(first)
  await hide(id, false)
  const { items } = await get('/api/audit?kind=deal', admin)
  const ofThis = items.filter(({ subject }: AuditEntry) => subject.id === id)
  const entry = (was: boolean) => ({
    ...{ action: 'change', actor: { username: admin.user.username } },
    ...{
      subject: { kind: 'deal', id, name: deal.asin },
      before: { is_hidden: was },
      after: { is_hidden: !was },
    },
  })
  expect(ofThis).toMatchObject([entry(true), entry(false)])
})

test('members may neither hide nor ask, and nobody hides what is not there', async () => {
  const id = await imported(row())
  expect((await hide(id, true, user)).status).toBe(403)
  expect((await call(user, 'GET', `/api/products/${id}/hidden`)).status).toBe(403)
  expect(await idsOf('sort=newest')).toContain(id)
  expect((await hide(999_999_999, true)).status).toBe(404)
  expect((await call(admin, 'GET', '/api/products/999999999/hidden')).status).toBe(404)
  expect((await call(admin, 'PUT', `/api/products/${id}/hidden`, {})).status).toBe(400)
})
