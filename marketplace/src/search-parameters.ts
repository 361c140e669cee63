/** What one parameter of a search address asks for, whichever of its names it came under. */
export type Meaning =
  | { kind: 'keyword' | 'low_price' | 'high_price' | 'refinements'; value: string }
  | { kind: 'parameter' | 'refinement'; name: string; value: string }
  /** Says how somebody came here, how the page is written or who earns from it, not what is searched. */
  | { kind: 'tracking' }

const tracking =
  /^(?:dc|ds|qid|rnid|ref_?|crid|sprefix|xpid|p[fd]_rd_.*|content-id|sr|tag|linkcode|linkid|camp|creative|ascsubtag|_encoding|ie|__mk_.*|fs|dib|dib_tag|cv_ct_.*|store_ref|hv[a-z]+|hydadcr|mcid|adgrpid|gad_.*|utm_.*|fbclid|gclid|msclkid)$/i
const keywords = new Set(['k', 'keywords', 'field-keywords'])

/** The meaning of the parameter `name=value`, both decoded. A parameter nobody knows means itself. */
export function meaningOf(name: string, value: string): Meaning {
  const known = name.toLowerCase()
  if (tracking.test(known)) return { kind: 'tracking' }
  if (keywords.has(known)) return { kind: 'keyword', value }
  switch (known) {
    case 'rh':
      return { kind: 'refinements', value }
    case 'low-price':
      return { kind: 'low_price', value }
    case 'high-price':
      return { kind: 'high_price', value }
    case 'sort':
      return { kind: 'parameter', name: 's', value }
    case 's':
    case 'i':
    case 'srs':
    case 'bbn':
      return { kind: 'parameter', name: known, value }
    case 'search-alias':
      return { kind: 'parameter', name: 'i', value }
    case 'url': {
      const alias = /^search-alias=(.+)$/i.exec(value)?.[1]
      return { kind: 'parameter', name: alias === undefined ? 'url' : 'i', value: alias ?? value }
    }
    case 'node':
      return { kind: 'refinement', name: 'n', value }
    case 'emi':
      return { kind: 'refinement', name: 'p_6', value }
    case 'brand':
      return { kind: 'refinement', name: 'p_89', value }
    case 'pct-off':
      // The shop itself rewrites this one; of a range without a beginning that isn't known.
      return /^\d+-\d*$/.test(value)
        ? { kind: 'refinement', name: 'p_8', value }
        : { kind: 'parameter', name: known, value }
    default:
      return { kind: 'parameter', name, value }
  }
}
