import { brandNumbers } from './default-brands.ts'
import { departmentAliases } from './default-departments.ts'
import { writeCode } from './filter-codes.ts'
import { type Piece, percentRanges, pieceKey } from './pieces.ts'

/** Names of single pieces that are no filter of the default set, by key, as the shop's own pages call them. */
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'p_72:2661618011': '4 stars and up',
    'p_72:2661619011': '3 stars and up',
    'p_72:1248879011': '4 stars and up (electronics)',
    'p_72:1248880011': '3 stars and up (electronics)',
    'p_72:1248881011': '2 stars and up (electronics)',
    'p_72:1248882011': '1 star and up (electronics)',
    'p_72:2491149011': '4 stars and up (phones)',
    'p_72:1248915011': '4 stars and up (home)',
    'p_72:1248873011': '4 stars and up (beauty)',
    'p_72:1250221011': '4 stars and up (books)',
    'p_85:2470955011': 'Prime Eligible',
    'p_76:2661625011': 'Free Shipping by Amazon',
    'p_90:8308921011': 'Get It by Tomorrow',
    'p_n_condition-type:2224371011': 'New (electronics)',
    'p_n_condition-type:2224373011': 'Used (electronics)',
    'p_n_condition-type:16907720011': 'Certified Refurbished (electronics)',
    'p_n_condition-type:6503240011': 'New (phones)',
    'p_n_date:1249033011': 'New Arrivals (electronics)',
    'p_n_date:1249034011': 'Coming Soon (electronics)',
    'p_n_cpf_eligible:21512497011': 'Climate Pledge Friendly',
    'p_n_feature_forty-seven_browse-bin:21180942011': "The shop's own brands",
    'p_n_feature_eighteen_browse-bin:14630392011': 'Top Brands (fashion)',
    'p_8:2661604011': '10% off or more (fashion)',
    's=featured-rank': 'Featured (without a keyword)',
    's=popularity-rank': 'Best Sellers (older form)',
    's=review-count-rank': 'Most Reviews',
  }),
)

/** What a piece is called when no filter is known that stands for it; its code when nothing better is known. */
export function pieceName(piece: Piece): string {
  const known = names.get(pieceKey(piece))
  if (known !== undefined) return known
  const { kind, name, value } = piece
  if (kind === 'parameter') {
    if (name === 'i') return departmentAliases.get(value) ?? value
    return name === 'page' ? `Page ${value}` : writeCode([piece])
  }
  if (name === 'p_89') return value
  if (name === 'p_123') return brandNumbers.get(value) ?? writeCode([piece])
  const percent = percentRanges.has(name) ? /^(\d+)-$/.exec(value)?.[1] : undefined
  return percent === undefined ? writeCode([piece]) : `${percent}% off or more`
}
