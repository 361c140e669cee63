/** Words beside a price that say nothing but that it is what an item costs now. */
const now = `
  now only just from starting amazon sale deal offer price prices our your current special today todays final new promo discounted clearance
  buy for is each ea free shipping delivery incl inc including vat tax taxes and or the
  nur ab jetzt heute preis angebot aktionspreis sonderpreis verkaufspreis neuer aktueller inkl inklusive mwst ust gst
  kostenlos kostenloser versand stuck und oder je
  a partir de prix maintenant seulement promo solde soldes ttc tva gratuit gratuite livraison et ou piece
  desde ahora solo oferta precio por iva incluido gratis envio y o pieza unidad
  apenas agora preco vista frete em
  ora offerta prezzo da al pezzo spedizione gratuita
  prijs nu vanaf voor btw stuk en
  cena od teraz tylko oraz
  pris fran endast moms
  fiyat simdi sadece kdv dahil
  価格 税込 特価 セール 現在 販売価格 送料無料 现价 价格 促销价 السعر قیمت कीमत मूल्य`

/** Words that say of an amount beside it that it is what an item cost before, or what it is reduced by. */
const before = `
  was were list listed mrp m.r.p msrp rrp uvp srp statt instead original originally originalpreis reg regular typical
  before retail old previous previously former formerly strike recommended suggested
  avant ancien barre conseille antes anterior recomendado consigliato listino adviesprijs oude regularna eski 参考価格 定価 原价
  you save saves saved saving savings off discount rabatt remise sparen sie spare economisez ahorra ahorras ahorro
  risparmi sconto korting economize desconto descuento reduction di`

/** A word for comparing: lower case, no accents, no dot at its end. */
export function plainWord(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\.$/, '')
}

const words = (list: string): string[] => list.trim().split(/\s+/).map(plainWord)
/** What may stand beside an amount that is a price and nothing else. */
export const nowLabels: ReadonlySet<string> = new Set(words(now))
/** What may stand beside an amount in a cell of prices: everything else might turn it into another thing. */
export const priceLabels: ReadonlySet<string> = new Set([...words(now), ...words(before)])
