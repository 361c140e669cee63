import { describe, expect, it } from 'vitest'
import { shareServiceNames, shareServices, shareText, shareUrl } from './share-links.ts'

const deal = {
  title: 'Mug & Saucer, 50% "blue" #1 + lid',
  price: '$4.99',
  url: 'https://www.amazon.com/dp/B000000001?th=1&psc=1',
}

describe('share links', () => {
  it('says the words of the product', () => {
    expect(shareText('Tin opener', '€3.00')).toBe('Check out this amazing deal: Tin opener - Only €3.00!')
  })

  it('carries words and address unharmed through every form that takes them', () => {
    const text = shareText(deal.title, deal.price)
    const parametersOf = (service: (typeof shareServices)[number]) =>
      Object.fromEntries(new URL(shareUrl(service, deal)).searchParams)
    expect(parametersOf('twitter')).toEqual({ text, url: deal.url })
    expect(parametersOf('facebook')).toEqual({ u: deal.url, quote: text })
    expect(parametersOf('linkedin')).toEqual({ url: deal.url })
    expect(parametersOf('reddit')).toEqual({ url: deal.url, title: text })
    expect(parametersOf('whatsapp')).toEqual({ text: `${text} ${deal.url}` })
    expect(parametersOf('telegram')).toEqual({ url: deal.url, text })
  })

  it('opens six services over https, each under its own name', () => {
    expect(shareServices).toHaveLength(6)
    for (const service of shareServices) {
      expect(new URL(shareUrl(service, deal)).protocol).toBe('https:')
      expect(shareServiceNames[service].toLowerCase()).toBe(service)
    }
  })

  it('writes spaces so that every service reads them', () => {
    expect(shareUrl('telegram', deal)).not.toMatch(/\+/)
  })

  it('survives a title with half a character in it', () => {
    expect(() => shareUrl('twitter', { ...deal, title: 'broken \ud83d' })).not.toThrow()
  })
})
