import { describe, expect, it } from 'vitest'
import { imageLink, imageSizes } from './image-links.ts'

describe('imageLink', () => {
  it('has a code for each size', () => {
    expect(imageSizes.map(({ name }) => imageLink('B0ABCD1234', name, 'amazon.com'))).toEqual([
      'https://images-na.ssl-images-amazon.com/images/P/B0ABCD1234.01.THUMBZZZ.jpg',
      'https://images-na.ssl-images-amazon.com/images/P/B0ABCD1234.01.MZZZZZZZ.jpg',
      'https://images-na.ssl-images-amazon.com/images/P/B0ABCD1234.01.LZZZZZZZ.jpg',
    ])
  })

  it.each([
    ['amazon.ca', '01'],
    ['amazon.co.uk', '02'],
    ['amazon.de', '03'],
    ['amazon.fr', '08'],
    ['amazon.co.jp', '09'],
    ['amazon.in', '01'],
  ])('asks the pictures of %s under %s', (domain, country) => {
    expect(imageLink('B0ABCD1234', 'large', domain)).toContain(`/P/B0ABCD1234.${country}.LZZZZZZZ.jpg`)
  })

  it('leaves its place in the address to nobody', () => {
    expect(imageLink('../../x?y#', 'small', 'amazon.com')).toContain('/images/P/..%2F..%2Fx%3Fy%23.01.')
  })
})
