/** Where searches go: the shop's name, and the address that a search's parameters follow. Empty: it can't be searched. */
export type SearchTemplate = { shop: string; address: string }

/** The template of the marketplace an installation serves. */
export function ownTemplate(domain: string): SearchTemplate {
  return { shop: domain, address: `https://www.${domain}/s` }
}

/** The second retailer's, of which no search address is known. */
export const secondTemplate: SearchTemplate = { shop: 'Second retailer', address: '' }
