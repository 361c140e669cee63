import { expect, test } from 'vitest'
import { ownTemplate, secondTemplate } from './search-templates.ts'

test('the marketplace can be searched, a second retailer can not', () => {
  expect(ownTemplate('amazon.in')).toEqual({ shop: 'amazon.in', address: 'https://www.amazon.in/s' })
  expect(secondTemplate).toEqual({ shop: 'Second retailer', address: '' })
})
