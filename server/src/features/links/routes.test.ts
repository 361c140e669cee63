import { sortWarning } from '@dealdeck/marketplace/search-links'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { addFilter, insertDefaultFilters } from '../filters/actions.ts'

const { app, databases, signIn } = await buildTestApp({ settings: { AFFILIATE_TAG: 'own-20' } })
let headers: Record<string, string> = {}

beforeAll(async () => {
  await insertDefaultFilters(databases, 'amazon.com')
  await addFilter(databases, { category: 'brands', name: 'Acme', code: 'p_89:Acme & Sons' })
  headers = (await signIn('user')).headers
})

async function post(url: string, payload: object) {
  const response = await app.inject({ method: 'POST', url, payload, headers })
  return { status: response.statusCode, body: response.json() }
}
const build = (payload: object) => post('/api/links', payload)
const parse = (url: unknown) => post('/api/links/parse', { url })

const everything = {
  keyword: 'phone case',
  min_price: 5,
  max_price: 19.99,
  filters: {
    brands: ['Apple', 'Acme'],
    deals: ["Today's Deals"],
    percent_off: ['50% off or more'],
    departments: ['Amazon Haul', 'Electronics'],
    sold_by: ['Amazon.com'],
    sort_by: ['Low to High'],
  },
  custom: [{ name: 'Four stars', code: '&rh=p_72%3A1248879011' }],
}

describe('POST /api/links', () => {
  test('builds the link of a search with the own tag, from what is stored', async () => {
    const { status, body } = await build(everything)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['url'])
    expect(Object.fromEntries(new URL(body.url).searchParams)).toEqual({
      k: 'phone case',
      i: 'bazaar',
      srs: '121974693011',
      rh: 'n:172282,p_89:Apple|Acme & Sons,p_36:500-1999,p_n_deal_type:23566064011,p_8:50-,p_6:ATVPDKIKX0DER,p_72:1248879011',
      s: 'price-asc-rank',
      tag: 'own-20',
    })
  })

  test.each([
    [{}, 'https://www.amazon.com/s?tag=own-20'],
    [{ keyword: 'mug' }, 'https://www.amazon.com/s?k=mug&tag=own-20'],
    [{ keyword: 'mug', max_price: null }, 'https://www.amazon.com/s?k=mug&tag=own-20'],
    [{ filters: { brands: [' aPPle '] } }, 'https://www.amazon.com/s?rh=p_89%3AApple&tag=own-20'],
    [
      {
        custom: [
          { name: 'Blank', code: ' ' },
          { name: '', code: 'p_8:50-' },
        ],
      },
      'https://www.amazon.com/s?tag=own-20',
    ],
  ])('%j', async (payload, url) => {
    expect(await build(payload)).toEqual({ status: 200, body: { url } })
  })

  test.each([
    [{ filters: { departments: ['Electronics', 'Books'] } }, 422, 'filters.sort_by', sortWarning],
    [{ filters: { brands: ['Nobody'] } }, 422, 'filters.brands', "There is no filter 'Nobody' in brands."],
    [{ custom: [{ name: 'x', code: 'nonsense' }] }, 422, 'custom.0.code', "doesn't say what it filters"],
    [{ min_price: 9, max_price: 5 }, 422, 'max_price', 'above the highest price'],
    [{ max_price: 'cheap' }, 400, 'max_price', 'must be an amount'],
    [{ max_price: -1 }, 400, 'max_price', ''],
    [{ filters: { brands: 'Apple' } }, 400, 'filters.brands', ''],
  ])('%j is refused', async (payload, status, field, words) => {
    const answer = await build(payload)
    expect(answer.status).toBe(status)
    expect(answer.body.fields[field]).toContain(words)
  })
})

describe('POST /api/links/parse', () => {
  test('is the reverse, and its answer builds the same link', async () => {
    const { url } = (await build(everything)).body
    const { status, body } = await parse(url)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...everything,
      custom: [{ name: '4 stars and up (electronics)', code: 'p_72:1248879011' }],
      unrecognised: [],
    })
    expect((await build(body)).body).toEqual({ url })
  })

  test('lists what no filter can stand for', async () => {
    const { body } = await parse('https://www.amazon.com/s?k=mug&rh=nonsense&tag=other-20')
    expect(body).toMatchObject({ keyword: 'mug', custom: [], unrecognised: ['nonsense'] })
  })

  test.each(['', 'mug', 'https://www.amazon.de/s?k=mug', 'https://www.amazon.com/dp/B0ABCD1234'])(
    'refuses %j',
    async (url) => {
      const { status, body } = await parse(url)
      expect(status).toBe(422)
      expect(body.fields.url).toBe('This is no address of a search on Amazon.com.')
    },
  )

  test('refuses a body without an address', async () => {
    expect((await parse(undefined)).status).toBe(400)
  })
})
