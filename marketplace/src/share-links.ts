/** The social services a deal can be shared to, in the order they are offered. */
export const shareServices = ['twitter', 'facebook', 'linkedin', 'reddit', 'whatsapp', 'telegram'] as const
export type ShareService = (typeof shareServices)[number]

export const shareServiceNames: Record<ShareService, string> = {
  twitter: 'Twitter',
  facebook: 'Facebook',
  linkedin: 'LinkedIn',
  reddit: 'Reddit',
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
}

/** The words that go with a shared deal. `price` is formatted, with its currency sign. */
export function shareText(title: string, price: string): string {
  return `Check out this amazing deal: ${title} - Only ${price}!`
}

/** The address that opens a service's own share form with a deal's words and address filled in. */
export function shareUrl(service: ShareService, deal: { title: string; price: string; url: string }): string {
  const text = shareText(deal.title, deal.price)
  switch (service) {
    case 'twitter':
      return withParameters('https://twitter.com/intent/tweet', { text, url: deal.url })
    case 'facebook':
      return withParameters('https://www.facebook.com/sharer/sharer.php', { u: deal.url, quote: text })
    case 'linkedin':
      return withParameters('https://www.linkedin.com/sharing/share-offsite/', { url: deal.url })
    case 'reddit':
      return withParameters('https://www.reddit.com/submit', { url: deal.url, title: text })
    case 'whatsapp':
      return withParameters('https://wa.me/', { text: `${text} ${deal.url}` })
    case 'telegram':
      return withParameters('https://t.me/share/url', { url: deal.url, text })
  }
}

/** Spaces as %20: some of the services show a plus sign as it is. */
function withParameters(address: string, parameters: Record<string, string>): string {
  const query = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`,
  )
  return `${address}?${query.join('&')}`
}
