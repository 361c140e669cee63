import { cellText, cleanText } from './text.ts'

const yes = /^(?:true|t|yes|y|on|1|1\.0|ja|j|oui|sí|si|sì|sim|s|tak|evet|はい|हाँ|✓|✔|✅|x|prime)$/i
const no = /^(?:false|f|no|n|off|0|0\.0|nein|non|não|nao|nie|hayır|nej|いいえ|नहीं|✗|✘|❌)$/i

/** A yes or no in any common spelling; null when the cell doesn't say. */
export function readBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const text = cellText(value)
  if (text === '') return null
  if (yes.test(text)) return true
  return no.test(text) ? false : null
}

/** Whether a deal ships with Prime, from a yes/no or from what is said about its delivery; null when nothing is said. */
export function readPrime(value: unknown): boolean | null {
  const flag = readBoolean(value)
  if (flag !== null) return flag
  const text = cellText(value)
  if (text === '') return null
  return (
    /\bprime\b/i.test(text) && !/\b(?:not?|non|without|kein|sans|sin)[\s-]+(?:\w+[\s-]+)?prime\b/i.test(text)
  )
}

/** Whether a text talks about stock, in the languages of the marketplaces. */
const aboutStock =
  /in[\s_-]?stock|out[\s_-]?of[\s_-]?stock|left in stock|only \d+ left|\d+ left\b|order soon|available|auf lager|nur noch \d+|verfügbar|en stock|disponib|disponív|em estoque|op voorraad|i lager|dostępn|stokta|在庫|स्टॉक/i
/** What says that there is none, in the languages of the marketplaces and of who imports from them, as `folded` gives it: without accents. */
const unavailable = new RegExp(
  [
    String.raw`out[\s_-]?of[\s_-]?stock|sold[\s_-]?out|(?<!\p{L})oos(?!\p{L})|unavailable|no longer available|cannot be shipped|expired|discontinued`,
    String.raw`(?<![\p{L}\p{N}.,])(?:not|no|zero|isn['’]?t|0)[\s_-]+(?:\p{L}+[\s_-]+)?(?:stock|available|left|units?|pcs|pieces|orderable|deliverable|for sale)(?!\p{L})`,
    String.raw`none left|^sold$|(?:stock|quantity|available|availability)\s?[:=]\s?(?:0(?![\d.,])|no(?!\p{L})|none|false)`,
    'back in stock soon|notify me when|email me when',
    'ausverkauft|vergriffen|(?:nicht|nie) (?:mehr )?(?:auf lager|verfugbar|vorratig|lieferbar|erhaltlich|bestellbar)|nicht in stock|kein(?:e|en)? (?:bestand|lagerbestand)',
    'epuise|rupture|indisponi[bv]|(?:non|plus|pas|actuellement non) (?:en stock|disponib)|hors stock|victime de son succes',
    'agotad|sin (?:stock|existencias)|fuera de stock|no (?:hay|quedan) (?:stock|existencias|unidades)|no (?:esta )?disponib|ya no disponib',
    'esaurit|(?<!de)terminat[oa]|non (?:piu )?disponib|non in stock',
    'esgotad|sem estoque|fora de estoque|nao (?:esta )?disponivel|sem stock',
    'uitverkocht|niet (?:meer )?(?:op voorraad|leverbaar|beschikbaar)',
    'niedostepn|wyprzedan|brak (?:w magazynie|towaru|na stanie|produktu)|nie ma w magazynie',
    'slutsald|slut i lager|(?:ej|inte|finns inte) (?:i lager|tillganglig)|tillfalligt slut',
    'stokta (?:yok|bulunm|kalmad)|tukendi|mevcut degil|sat[iı]sta degil',
    'нет в наличии|нет на складе|распродан|закончил|немає в наявності',
    'غير متوفر|غير متاح|نفد|نفذ|غير موجود',
    '在庫(?:なし|切れ|がありません|はありません|無し|ゼロ)|品切れ|売り?切れ|完売|入荷未定|取り?扱い(?:できません|終了)|販売終了',
    '缺货|缺貨|无货|無貨|售罄|售完|沒貨|没货|断货|下架|暂无库存|无库存',
    '품절|재고 ?없음|일시 ?품절|판매 ?종료|स्टॉक में नहीं|उपलब्ध नहीं|अनुपलब्ध|สินค้าหมด|hết hàng|stok habis',
  ]
    .join('|')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, ''),
  'u',
)

/** A text for comparing: lower case without accents and other marks. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
}

/** Buttons and progress bars that scrapers take for availability: they say nothing of it. */
const noAvailability =
  /^(?:add(?:ed)? to (?:cart|basket|bag|list)|buy(?: it)? now|shop now|see (?:all )?(?:buying )?(?:options|details|price in cart|deal)|(?:view|get|claim) deal|in den einkaufswagen|ajouter au panier|agregar al carrito|añadir a la cesta|adicionar ao carrinho|aggiungi al carrello|in winkelwagen|\d{1,2}(?:\.\d+)? ?% claimed)\.?$/i
const allClaimed = /^100(?:\.0+)? ?% claimed\.?$/i
const enumerations: Record<string, string | null> = {
  in_stock: 'In stock',
  instock: 'In stock',
  now: 'In stock',
  available: 'In stock',
  in_stock_scarce: 'Only a few left',
  limitedavailability: 'Only a few left',
  preorder: 'Pre-order',
  pre_order: 'Pre-order',
  backorder: 'Back-order',
  leadtime: 'Available to order',
  available_date: 'Available later',
  unknown: null,
}

/** What an availability cell says: a text to show, null for 'not available', undefined when it says nothing. */
export function readAvailability(value: unknown): string | null | undefined {
  if (typeof value === 'boolean') return value ? 'In stock' : null
  if (typeof value === 'number') return value > 0 ? 'In stock' : null
  if (value === 'In stock' || value === 'In Stock') return value
  const text = cleanText(cellText(value), 200)
  if (text === '') return undefined
  const flag = readBoolean(text)
  if (flag !== null) return flag ? 'In stock' : null
  if (/^\d{1,9}$/.test(text)) return Number(text) > 0 ? 'In stock' : null
  const name = text
    .replace(/^https?:\/\/schema\.org\//i, '')
    .toLowerCase()
    .replace(/[\s-]/g, '_')
  if (Object.hasOwn(enumerations, name) && name !== 'now') return enumerations[name] ?? undefined
  if (noAvailability.test(text)) return undefined
  return unavailable.test(folded(text)) || allClaimed.test(text) ? null : text
}

/** The availability in a cell that should hold something else, such as a count; undefined when it holds none. */
export function strayAvailability(value: unknown): string | null | undefined {
  // What is said about stock is a line; a pattern that looks for numbers takes long over endless ones.
  if (typeof value !== 'string' || value.length < 7 || value.length > 1_000) return undefined
  if (/^[\d.,\s]+$/.test(value)) return undefined
  return aboutStock.test(value) || unavailable.test(folded(value)) ? readAvailability(value) : undefined
}
