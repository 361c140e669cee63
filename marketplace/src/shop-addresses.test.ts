import { describe, expect, it } from 'vitest'
import { isShopAddress, readSearchAddress } from './shop-addresses.ts'

describe('isShopAddress', () => {
  it.each([
    'https://www.amazon.com/s?k=mug',
    'http://amazon.com/dp/B0ABCD1234',
    'https://smile.amazon.com/',
    'HTTPS://WWW.AMAZON.COM/',
    'https://www.amazon.com:443/',
  ])('lets %s be opened', (address) => {
    expect(isShopAddress(address, 'amazon.com')).toBe(true)
  })

  it.each([
    '',
    'www.amazon.com/s?k=mug',
    '//www.amazon.com/',
    '/s?k=mug',
    'javascript:alert(1)',
    'javascript://www.amazon.com/%0Aalert(1)',
    'data:text/html,https://www.amazon.com/',
    'ftp://www.amazon.com/',
    'https://www.amazon.de/',
    'https://amazon.com.evil.example/',
    'https://www.amazon.com@evil.example/',
    'https://evil@www.amazon.com/',
    'https://www.amazon.com:8443/',
    'https:\\\\evil.example\\www.amazon.com',
    'https://evil.example/https://www.amazon.com/',
    'https://music.amazon.com/',
  ])('does not let %s be opened', (address) => {
    expect(isShopAddress(address, 'amazon.com')).toBe(false)
  })
})

describe('readSearchAddress', () => {
  it.each([
    ['https://www.amazon.com/s?k=mug', true],
    ['https://www.amazon.com/Mugs-Cups/s?k=mug', true],
    ['https://www.amazon.com/-/es/s/ref=x?k=mug', true],
    ['https://www.amazon.com/gp/search/?keywords=mug', true],
    ['https://www.amazon.com/Mugs/b/ref=x?node=7', true],
    ['https://www.amazon.com/b?ie=UTF8', false],
    ['https://www.amazon.com/stores/page/7', false],
  ])('%s: %s', (address, isSearch) => {
    expect(readSearchAddress(address) !== null).toBe(isSearch)
  })
})
