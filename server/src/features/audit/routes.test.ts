import type { AuditEntry, AuditPage } from '@dealdeck/contract/audit'
import type { FilterRecord } from '@dealdeck/contract/filters'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { recordChange } from './actions.ts'

async function auditOf() {
  const { app, databases, signIn } = await buildTestApp()
  const { headers, user } = await signIn('admin')
  const call = async <T>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object | string,
  ) => {
    const response = await app.inject({
      ...{ method, url, headers },
      ...(payload !== undefined && { payload }),
    })
    const body = (response.body === '' ? '' : response.json()) as T // A removal answers nothing, and no test looks at it.
    return { status: response.statusCode, body }
  }
  const page = async (query = '') => (await call<AuditPage>('GET', `/api/audit${query}`)).body
  const newest = async (): Promise<AuditEntry | undefined> => (await page('?limit=1')).items[0]
  return { databases, user, call, page, newest }
}

test('every change by an administrator is in the list, with who, what, before and after', async () => {
  const { call, newest, page, user } = await auditOf()
  const actor = { id: user.id, username: user.username }
  const filters = '/api/amazon_filters'
  const acme = { category: 'brands', name: 'Acme', code: 'p_89:Acme' }
  const { body: filter } = await call<FilterRecord>('POST', filters, acme)
  expect(await newest()).toMatchObject({
    ...{ actor, action: 'add', before: null, after: acme },
    subject: { kind: 'filter', id: filter.id, name: 'Acme' },
  })
  await call('PATCH', `${filters}/${filter.id}`, { name: 'Acme Tools' })
  const renamed = { ...acme, name: 'Acme Tools' }
  expect(await newest()).toMatchObject({ actor, action: 'change', before: acme, after: renamed })
  await call('DELETE', `${filters}/${filter.id}`)
  expect(await newest()).toMatchObject({ action: 'remove', before: renamed, after: null })

  const { body: word } = await call<{ id: number }>('POST', '/api/blacklisted_words', { word: 'Wig' })
  const subject = { kind: 'word', id: word.id, name: 'wig' }
  expect(await newest()).toMatchObject({ actor, action: 'add', subject, after: { is_active: true } })
  await call('DELETE', `/api/blacklisted_words/${word.id}`)
  expect(await newest()).toMatchObject({ action: 'deactivate', subject, before: { is_active: true } })
  await call('PATCH', `/api/blacklisted_words/${word.id}`, { is_active: true })
  expect(await newest()).toMatchObject({ action: 'activate', subject, after: { is_active: true } })

  const { body: token } = await call<{ id: number; token: string }>('POST', '/api/ingest_tokens', {
    name: 'bot',
  })
  const bot = { kind: 'ingest_token', id: token.id, name: 'bot' }
  expect(await newest()).toMatchObject({ actor, action: 'add', subject: bot })
  await call('DELETE', `/api/ingest_tokens/${token.id}`)
  expect(await newest()).toMatchObject({ action: 'remove', subject: bot, after: null })
  await call('POST', '/api/products/import?file=mugs.json', [])
  expect(await newest()).toMatchObject({
    actor,
    action: 'import',
    subject: { kind: 'import', name: 'mugs.json' },
  })

  const all = await page()
  expect(all.items).toHaveLength(9)
  expect(JSON.stringify(all)).not.toContain(token.token)
})

test('what is refused, repeated or only tried is not in the list', async () => {
  const { call, page } = await auditOf()
  const { body: word } = await call<{ id: number }>('POST', '/api/blacklisted_words', { word: 'wig' })
  const before = await page()
  expect((await call('POST', '/api/blacklisted_words', { word: ' WIG ' })).status).toBe(409)
  await call('PATCH', `/api/blacklisted_words/${word.id}`, { is_active: true })
  await call('PATCH', '/api/blacklisted_words/999', { is_active: true })
  await call('DELETE', '/api/amazon_filters/999')
  await call('DELETE', '/api/ingest_tokens/999')
  await call('POST', '/api/products/import?dry_run=true', [])
  await call('POST', '/api/amazon_filters/import?dry_run=true', [
    { category: 'brands', name: 'Acme', code: 'p_89:Acme' },
  ])
  expect(await page()).toEqual(before)
})

test('pages go through the whole list once, newest first, whatever comes meanwhile; filters narrow it', async () => {
  const { databases, call, page } = await auditOf()
  for (let index = 0; index < 60; index += 1) {
    const username = index % 3 === 0 ? 'ann' : 'bob'
    await recordChange(databases.db, {
      ...{
        actor: { id: 1, username },
        action: index % 2 === 0 ? 'add' : 'remove',
        before: null,
        after: null,
      },
      subject: { kind: index < 30 ? 'word' : 'filter', id: index, name: `no. ${index}` },
    })
  }
  const walk = async (filter: string) => {
    const seen: (number | null)[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const next: AuditPage = await page(`?limit=7${filter}${cursor && `&cursor=${cursor}`}`)
      seen.push(...next.items.map(({ subject }) => subject.id))
      cursor = next.next_cursor
      await recordChange(databases.db, {
        ...{ actor: { id: 1, username: 'carl' }, action: 'approve' as const, before: null, after: null },
        subject: { kind: 'user', id: 1000, name: 'later' },
      })
    }
    return seen
  }
  const down = Array.from({ length: 60 }, (_, index) => 59 - index)
  expect((await walk('')).filter((id) => id !== 1000)).toEqual(down)
  expect(await walk('&kind=word')).toEqual(down.filter((id) => id < 30))
  expect(await walk('&actor=%20ANN')).toEqual(down.filter((id) => id % 3 === 0))
  expect(await walk('&action=remove&kind=filter')).toEqual(down.filter((id) => id % 2 === 1 && id >= 30))
  const { items } = await page('?kind=word&limit=200')
  const from = items[10]?.at ?? ''
  const to = items[5]?.at ?? ''
  const between = (await page(`?kind=word&from=${from}&to=${to}&limit=200`)).items
  expect(between).toEqual(items.filter(({ at }) => at >= from && at < to))
  expect((await call('GET', '/api/audit/actors')).body).toEqual(['ann', 'bob', 'carl'])
})

test('bad filters and cursors are refused by name', async () => {
  const { call } = await auditOf()
  for (const [query, field] of [
    ['cursor=x', 'cursor'],
    ['cursor=WzFlOTksMV0', 'cursor'],
    ['kind=shoe', 'kind'],
    ['action=x', 'action'],
    ['from=yesterday', 'from'],
    ['limit=1000', 'limit'],
  ]) {
    const { status, body } = await call<{ fields: object }>('GET', `/api/audit?${query}`)
    expect([query, status, Object.keys(body.fields)]).toEqual([query, 400, [field]])
  }
})
