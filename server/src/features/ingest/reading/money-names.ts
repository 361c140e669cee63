const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** Words for a price. */
const prices = words('price prices preis prix precio preco prezzo prijs cena fiyat pris')
/** Words that say how a price is written. */
const written = words(`
  numeric num number amount value string str text raw clean cleaned parsed extracted scraped formatted display displayed shown`)
/** Words that say nothing of a price but where a source has it. */
const neutral = words(`
  product products item items deal deals amazon amz amzn listing listings offer offers v1 v2 v3 info data main basic detail details
  attribute attributes result results page props node record row payload response body content summary summaries pricing buybox
  winner primary default root object entity document source hit field fields values property properties json api core the of s`)
/** Words that say of a price that it is today's. */
const today = words(`
  current currently now sale deal offer final special promo promotional selling sell lightning flash clearance our buybox buy box new today todays
  live latest online day with aktueller neuer jetzt actuel nouveau promo atual novo attuale nuovo nuevo oferta promocyjna aktualna`)
/** Words that say of a price that it is reduced; behind the word for a price they mean by how much. */
const reduced = words('discount discounted reduced')
/** Words that say of a price that it is what something cost before, or is said to be worth. */
const former = words(`
  was original originally orig org list listed regular reg retail msrp mrp rrp uvp srp old former formerly before previous previously
  prev prior past earlier yesterday yesterdays compare compared at strike striked strikethrough strikeout through crossed slashed out
  initial full typical reference normal usual basis undiscounted suggested recommended catalog catalogue vorher alter alt ehemaliger
  bisheriger fruherer statt avant ancien barre anterior antes antigo precedente listino consigliato oude van eski stara`)

/** Of which time a column's price is, by the words of its name. */
export type PriceTime = 'now' | 'before'

/** Whether words beside a known name of a price leave it one of that time; a word that isn't known may mean anything. */
export function leavePrice(beside: readonly string[], time: PriceTime): boolean {
  const isBefore = time === 'before' && beside.some((word) => former.has(word))
  return beside.every(
    (word) =>
      neutral.has(word) ||
      written.has(word) ||
      prices.has(word) ||
      (time === 'before' ? former.has(word) : today.has(word) || reduced.has(word)) ||
      (isBefore && (today.has(word) || reduced.has(word))),
  )
}

/** Whether a name in no list says of a price of which time it is, or behind the word for one how it is written: `price yesterday`. */
export function namesPriceOf(name: readonly string[], time: PriceTime): boolean {
  const beside = name.filter((word) => !prices.has(word))
  if (beside.length === name.length || beside.length === 0 || !leavePrice(beside, time)) return false
  if (time === 'before') return beside.some((word) => former.has(word))
  // Before the word for a price these are names that are listed; a discount behind it is by how much it is reduced.
  if (!prices.has(name[0] ?? '') || beside.some((word) => reduced.has(word))) return false
  return beside.some((word) => today.has(word)) || beside.every((word) => written.has(word))
}
