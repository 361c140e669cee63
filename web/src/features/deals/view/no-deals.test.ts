import { expect, test } from 'vitest'
import { noDealsWords } from './no-deals.ts'

const words = (stored: number | undefined) => noDealsWords(stored, (value) => value.toLocaleString('en-US'))

test('an administrator reads how many deals are stored that nobody sees, and what to do', () => {
  expect(words(3020)).toEqual({
    title: 'No deal is available',
    text: '3,020 deals are stored, but nothing says that they are available, so nobody sees them. Import the file again and give its rows an availability.',
  })
  expect(words(1).text).toContain(
    '1 deal is stored, but nothing says that it is available, so nobody sees it.',
  )
  expect(words(0).title).toBe('No deals yet')
})

test('a member reads nothing that may be false', () => {
  expect(words(undefined)).toEqual({
    title: 'No deals right now',
    text: 'They show up here by themselves as soon as there are any.',
  })
})
