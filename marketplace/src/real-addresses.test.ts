import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { defaultFilters } from './default-filters.ts'
import { buildSearchLink } from './search-links.ts'
import { parseSearchLink } from './search-parsing.ts'

/** Addresses in the shapes the shop has used over the years, with numbers of our own. */
const invented = [
  'https://www.amazon.com/s?k=Kites+%26+Accessories&i=mi&rh=p_n_deal_type%3A23566064011&dc&qid=1&rnid=2&ref=sr_nr_p_n_deal_type_2',
  'https://www.amazon.com/s?i=mobile&bbn=72&rh=n%3A72%2Cp_n_condition-type%3A65%2Cp_36%3A-20000%2Cp_n_feature_twelve_browse-bin%3A14%7C15%7C16%2Cp_72%3A24&dc',
  'https://www.amazon.com/s?keywords=Kite+%26+In-Door&i=electronics&rh=n%3A12%2Cp_36%3A5000-%2Cp_89%3AJBL%7CAcme%7CSony%2Cp_85%3A2470955011&dc&c=ts&ts_id=12&ref=x',
  'https://www.amazon.com/s?k=boxing&i=sports&bbn=10&rh=n%3A10%2Cp_89%3AAcme%7CUnder+Armour&dc&language=en_US&ds=v1%3Ak%2Fn&__mk_de_DE=%C3%85M&sprefix=boxin%2Csports%2C204',
  'https://www.amazon.com/s?i=computers&rh=n:56,p_36:2421886011&s=exact-aware-popularity-rank&ds=v1:FQ9+y&content-id=amzn1.sym.4d',
  'https://www.amazon.com/s?srs=121974693011&search-alias=bazaar&k=rope+toy',
  'https://www.amazon.com/s?k=laptop&page=2&i=todays-deals&bbn=21&xpid=d-0e&ref=sr_pg_1',
  'https://www.amazon.com/s/ref=sr_nr_p_8_0?fst=as%3Aoff&rh=n%3A7141123011%2Cn%3A7147440011%2Ck%3Ared+kites%2Cp_36%3A-25000%2Cp_8%3A2661604011&bbn=15&sort=featured-rank&keywords=red+kites&ie=UTF8&rnid=26',
  'https://www.amazon.com/s/ref=s9_acss_4_1_w?rh=i%3Ababy-products%2Cn%3A165796011%2Cn%3A%21165%2Cp_6%3AATVPDKIKX0DER%7CA9&bbn=16&ie=UTF8&pf_rd_m=A&pf_rd_s=m',
  'http://www.amazon.com/s/ref=xs_gb_rss_29/?node=12&emi=ATVPDKIKX0DER&brand=Acme&pct-off=50-&ccmID=38&tag=other-20',
  'https://www.amazon.in/s?i=computers&rh=n%3A13%2Cp_123%3A110955%257C219979%257C24&dc&xpid=8-y8V&ref=sr_nr_p_123_9',
  'https://www.amazon.com.br/s?i=warehouse-deals&srs=24&bbn=24&rh=n%3A24%2Cn%3A18&s=popularity-rank&dc&fs=true&ref=sr_nr_n_1',
]

const marks = /^(dc|ds|qid|rnid|ref|crid|sprefix|xpid|p[fd]_rd_\w+|content-id|tag|ie|__mk_\w+|fs)$/
const olderNames: Record<string, string> = {
  keywords: 'k',
  'field-keywords': 'k',
  sort: 's',
  'search-alias': 'i',
  node: 'n',
  emi: 'p_6',
  brand: 'p_89',
  'pct-off': 'p_8',
}

/** What an address asks, told apart without the code it tests: every value of every refinement and parameter, once. */
function questionOf(address: string): string[] {
  const asked = new Set<string>()
  for (const [name, value] of new URL(address).searchParams) {
    if (marks.test(name)) continue
    if (name !== 'rh') asked.add(`${olderNames[name] ?? name}=${value}`)
    else {
      for (const fragment of value.split(',')) {
        const [refinement = '', ...rest] = fragment.split(':')
        for (const one of rest.join(':').split(/\||%7C/)) asked.add(`${refinement}=${one}`)
      }
    }
  }
  return [...asked].sort()
}

function builtAgain(address: string): string {
  const domain = new URL(address).hostname.replace('www.', '')
  const parsed = parseSearchLink(address, defaultFilters(domain), { domain })
  expect(parsed?.unrecognised).toEqual([])
  return parsed ? buildSearchLink(parsed, { domain, affiliateTag: '' }) : ''
}

describe('the link built from what was read of an address asks the shop the same question', () => {
  it.each(invented)('%s', (address) => {
    const link = builtAgain(address)
    expect(questionOf(link)).toEqual(questionOf(address))
    expect(link).not.toMatch(/%25|rh=.*rh=|other-20/)
  })

  it('would notice a lost filter', () => {
    const [address = ''] = invented
    expect(questionOf(address.replace('i=mi&', ''))).not.toEqual(questionOf(address))
  })
})

// Real addresses that may lie beside the checkout; they are never part of it.
const file = fileURLToPath(new URL('../../../shared/facts/amazon-search-urls.json', import.meta.url))

describe.runIf(existsSync(file))('real addresses', () => {
  it('ask the same question after a round trip', () => {
    // The file is a list of records that each hold an address.
    const addresses = (JSON.parse(readFileSync(file, 'utf8')) as { url: string }[]).map(({ url }) => url)
    expect(addresses.length).toBeGreaterThanOrEqual(26)
    const changed = addresses.filter((url) => questionOf(builtAgain(url)).join() !== questionOf(url).join())
    expect(changed).toEqual([])
  })
})
