import type { BlacklistedWord, WordPreview } from '@dealdeck/contract/blacklist'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeDeal } from '../../../testing/factories.ts'

const path = '/api/blacklisted_words'

async function wordsOf() {
  const { app, databases, signIn } = await buildTestApp()
  const headers = { admin: (await signIn('admin')).headers, user: (await signIn('user')).headers }
  const call = async <T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', at: string, payload?: object) => {
    const response = await app.inject({
      method,
      url: path + at,
      headers: headers.admin,
      ...(payload && { payload }),
    })
    const body = (response.body === '' ? '' : response.json()) as T & { message: string } // A removal answers nothing.
    return { status: response.statusCode, body }
  }
  const list = async (query = ''): Promise<BlacklistedWord[]> =>
    (await app.inject({ url: path + query, headers: query === '' ? headers.user : headers.admin })).json()
  const listAsUser = async (query: string) => {
    const answer = await app.inject({ url: path + query, headers: headers.user })
    return [answer.statusCode, answer.json()]
  }
  const preview = async (word: string) =>
    (await call<WordPreview>('GET', `/preview?word=${encodeURIComponent(word)}`)).body
  return { databases, call, list, listAsUser, preview }
}

test('active words come alphabetically, all of them the newest first; removing only deactivates', async () => {
  const { call, list } = await wordsOf()
  const ids: number[] = []
  for (const word of ['  Wig ', 'banner', 'Crochet   Hair']) {
    const { status, body } = await call<BlacklistedWord>('POST', '', { word })
    expect([status, body.is_active]).toEqual([201, true])
    ids.push(body.id)
  }
  expect((await list()).map(({ word }) => word)).toEqual(['banner', 'crochet hair', 'wig'])
  expect((await call('DELETE', `/${ids[1]}`)).status).toBe(204)
  expect((await call('DELETE', `/${ids[1]}`)).status).toBe(204)
  expect((await list()).map(({ word }) => word)).toEqual(['crochet hair', 'wig'])
  const all = await list('?include_inactive=true')
  expect(all.map(({ word, is_active }) => [word, is_active])).toEqual([
    ['crochet hair', true],
    ['banner', false],
    ['wig', true],
  ])
  expect((await call<BlacklistedWord>('PATCH', `/${ids[1]}`, { is_active: true })).body).toEqual(
    all.map((word) => ({ ...word, is_active: true })).find(({ word }) => word === 'banner'),
  )
})

test('inactive words are for administrators only', async () => {
  const { call, listAsUser } = await wordsOf()
  const { body: word } = await call<BlacklistedWord>('POST', '', { word: 'flag' })
  await call('DELETE', `/${word.id}`)
  expect(await listAsUser('?include_inactive=true')).toEqual([
    403,
    { code: 'FORBIDDEN', message: 'Only an administrator may see inactive words.' },
  ])
  expect(await listAsUser('?include_inactive=false')).toEqual([200, []])
})

test('an active word is refused, an inactive one comes back under its id; bad input says what is wrong', async () => {
  const { call } = await wordsOf()
  const { body: word } = await call<BlacklistedWord>('POST', '', { word: 'flag' })
  const again = await call('POST', '', { word: 'FLAG' })
  expect([again.status, again.body.message]).toEqual([409, 'Failed to add word. It may already exist.'])
  await call('DELETE', `/${word.id}`)
  expect((await call<BlacklistedWord>('POST', '', { word: 'Flag' })).body).toMatchObject({
    ...word,
    hidden: 0,
  })
  for (const bad of [{}, { word: '   ' }, { word: 7 }, { word: 'a\0b' }, { word: 'x'.repeat(201) }])
    expect((await call('POST', '', bad)).status).toBe(400)
  expect((await call('POST', '', { word: ' ' })).body.message).toBe('Please enter a word')
  expect((await call('PATCH', `/${word.id}`, { is_active: 'yes' })).status).toBe(400)
  expect((await call('PATCH', '/999', { is_active: true })).status).toBe(404)
  expect((await call('GET', '?include_inactive=maybe')).status).toBe(400)
})

test('what nobody sees in a word is left out, as of titles: it would hide nothing', async () => {
  const { databases, call, preview, list } = await wordsOf()
  await makeDeal(databases, { title: 'Blue wig stand' })
  // As it comes with what is copied from a page: a soft hyphen, signs without width, marks of direction.
  const pasted = '\u200ewig\u200b \u2060 st\u00adand\ufeff'
  expect(await preview(pasted)).toMatchObject({ word: 'wig stand', hidden: 1 })
  expect((await call('POST', '', { word: pasted })).body).toMatchObject({ word: 'wig stand', hidden: 1 })
  expect((await call('POST', '', { word: 'wig\u200b stand' })).status).toBe(409)
  const nothing = await call('POST', '', { word: ' \u200b\u00ad ' })
  expect([nothing.status, nothing.body.message]).toEqual([400, 'Please enter a word'])
  // Joiners are part of words.
  const persian = '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'
  expect((await call('POST', '', { word: persian })).body).toMatchObject({ word: persian })
  expect(await list()).toHaveLength(2)
})

test('of twenty who add one word at the same moment one wins; the others are told', async () => {
  const { call, list } = await wordsOf()
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('POST', '', { word: 'keychain' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
  expect(await list()).toHaveLength(1)
})

test('a preview counts what the word would hide now, shows five titles, and changes nothing', async () => {
  const { databases, call, preview, list } = await wordsOf()
  for (let index = 1; index <= 7; index += 1) await makeDeal(databases, { title: `Blue WIG no. ${index}` })
  await makeDeal(databases, { title: 'Wig without stock', availability: null })
  await makeDeal(databases, { title: 'Garden hose' })
  const wig = await preview('  wIg ')
  expect(wig).toMatchObject({ word: 'wig', state: 'new', hidden: 7, has_more: false })
  expect(wig.titles).toHaveLength(5)
  expect(wig.titles).not.toContain('Wig without stock')
  expect(await preview('ue wig no. 7')).toMatchObject({ hidden: 1, titles: ['Blue WIG no. 7'] })
  expect(await preview('IG')).toMatchObject({ word: 'ig', hidden: 7 })
  expect(await preview('7')).toMatchObject({ hidden: 1, titles: ['Blue WIG no. 7'] })
  expect(await preview('zq')).toMatchObject({ hidden: 0, titles: [] })
  expect(await preview('%')).toMatchObject({ hidden: 0, titles: [] })
  expect(await list('?include_inactive=true')).toEqual([])
  const { body } = await call<{ id: number; hidden: number }>('POST', '', { word: 'wig' })
  expect(body.hidden).toBe(7)
  expect(await preview('wig')).toMatchObject({ state: 'active', hidden: 0 })
  await call('DELETE', `/${body.id}`)
  expect(await preview('wig')).toMatchObject({ state: 'inactive', hidden: 7 })
})

test('a count stops at its limit and says so', async () => {
  const { databases, preview } = await wordsOf()
  await databases.durablePool.query(
    `insert into deals (asin, title, title_folded, price, product_url, availability)
     select 'B' || lpad(n::text, 9, '0'), 'Kettle', 'kettle', 1, '', 'x' from generate_series(1, 10050) n`,
  )
  expect(await preview('kettle')).toMatchObject({ hidden: 10_000, has_more: true })
})
