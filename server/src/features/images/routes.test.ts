import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'

async function get(marketplace: string, query: Record<string, string>) {
  const { app, signIn } = await buildTestApp({ settings: { MARKETPLACE: marketplace } })
  const { headers } = await signIn('user')
  const response = await app.inject({ url: '/api/images', query, headers })
  return { status: response.statusCode, body: response.json() }
}
const pictures = 'https://images-na.ssl-images-amazon.com/images/P'

test.each([
  ['amazon.com', { asin: 'b0abcd1234' }, 'B0ABCD1234.01.LZZZZZZZ.jpg'],
  ['amazon.com', { asin: '0-439-02348-3', size: 'small' }, '0439023483.01.THUMBZZZ.jpg'],
  [
    'amazon.de',
    { asin: 'https://www.amazon.de/x/dp/B0ABCD1234?th=1', size: 'standard' },
    'B0ABCD1234.03.MZZZZZZZ.jpg',
  ],
])('on %s %j', async (marketplace, query, file) => {
  expect(await get(marketplace, query)).toEqual({ status: 200, body: { url: `${pictures}/${file}` } })
})

test.each([
  [{}, 422, 'asin', 'Please enter an ASIN'],
  [{ asin: '  ' }, 422, 'asin', 'Please enter an ASIN'],
  [{ asin: 'mug' }, 422, 'asin', 'This is no ASIN'],
  [{ asin: 'https://a.co/d/abcd123' }, 422, 'asin', "Short links can't be resolved"],
  [{ asin: 'B0ABCD1234', size: 'huge' }, 400, 'size', 'must be one of small, standard, large'],
])('%j is refused', async (query, status, field, words) => {
  const answer = await get('amazon.com', query)
  expect(answer.status).toBe(status)
  expect(answer.body.message).toContain(words)
  expect(answer.body.fields[field]).toContain(words)
})
