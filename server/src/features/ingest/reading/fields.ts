import type { ImportField } from '@dealdeck/contract/ingest'
import { asinOf, asinOfAddress, repairedIsbn, shopOfAddress } from '@dealdeck/marketplace/asin'
import { readCount, readRating } from './figures.ts'
import { readBoolean, strayAvailability } from './flags.ts'
import { readBrand, readCategory, readCondition } from './labels.ts'
import { shopOf } from './marketplace-names.ts'
import { readMoney } from './money.ts'
import { readState } from './states.ts'
import { cellText } from './text.ts'
import { readEnd, readTime } from './times.ts'

type Recognition = {
  /**
   * What sources call the field, the most telling name first, as `plainName` gives them: lower case, no accents, words
   * apart. A name that could mean two fields stands where it more often means the truth.
   */
  names: readonly string[]
  /** Words that turn a name ending in one of these into something else. */
  traps?: ReadonlySet<string>
  /** Whether a filled cell is something the field could use. */
  fits(value: unknown, text: string): boolean
}

const isZero = (value: unknown) => /^0(?:\.0+)?$/.test(cellText(value))
const isAddress = (text: string) => /^(?:https?:)?\/\/\S/i.test(text)
const isMoney = (value: unknown) => readMoney(value, '.') !== null
const isTime = (value: unknown) => readTime(value, 'day first') !== null
const isEnd = (value: unknown) => readEnd(value, 'day first') !== null
const isFlag = (value: unknown) => readBoolean(value) !== null

export const moneyTraps = words(
  'avg average mean median min max minimum maximum lowest highest low high drop saving savings save saved discount off percent percentage pct unit per each shipping delivery postage tax vat coupon cents minor index rank history stats count points installment deposit trade rent used refurbished warehouse variation variations difference diff change delta increase',
)

/**
 * How the column of each field is recognised, in the order in which fields choose: those whose names are least ambiguous
 * first, since a column fills one field only.
 */
export const recognition: Record<ImportField, Recognition> = {
  asin: {
    names: names(`
      asin, asins, asin code, isbn10, isbn 10, sku asin, amazon id,
      amazon standard identification number, item id, product id, id`),
    traps: words(
      'parent input variation variations related similar deal category seller order list brand offer campaign',
    ),
    fits: (_, text) => asinOf(text) !== null || repairedIsbn(text) !== null,
  },
  product_url: {
    names: names(`
      product url, url, product link, link, amazon url, amazon link, detail page url, product page,
      deal url, deal link, item url, listing url, affiliate url, affiliate link, href, permalink,
      page url, web url, canonical url, produkt url, produktlink, lien, lien produit, enlace,
      url producto, link do produto, link prodotto, adres, リンク, 链接`),
    traps: words(
      'image img picture photo thumbnail video seller store shop brand category search origin review reviews input icon logo canonical',
    ),
    fits: (_, text) => asinOfAddress(text) !== null || shopOfAddress(text) !== null,
  },
  image_url: {
    names: names(`
      image url, image, img url, img, imgurl, image link, main image, main image url, primary image,
      product image, product photo, picture, picture url, photo, photo url, deal photo, thumbnail,
      thumbnail url, thumb, image src, img src, images, image urls, images primary large,
      images primary medium, bild, bild url, bildlink, imagen, imagem, immagine, afbeelding, obraz,
      resim, 画像, 图片`),
    traps: words('count number width height brand seller logo icon video text alt'),
    fits: (_, text) => isAddress(text),
  },
  title: {
    names: names(`
      title, product title, product name, item name, item title, deal title, name, listing title,
      headline, goods name, titel, produkttitel, produktname, artikelname, bezeichnung,
      artikelbezeichnung, titre, nom, nom du produit, intitule, titulo, nombre, nombre del producto,
      producto, nome, nome do produto, produto, titolo, nome prodotto, prodotto, naam, productnaam,
      tytul, nazwa, baslik, urun adi, produktnamn, 商品名, タイトル, 商品名称, product, item, label`),
    traps: words(
      'brand seller store shop category author manufacturer user file image campaign type subcategory department vendor merchant reviewer color size model series sub page meta feature',
    ),
    fits: (_, text) => /\p{L}/u.test(text) && !isAddress(text),
  },
  price: {
    names: names(`
      current price, deal price, price current, sale price, final price, discount price,
      discounted price, offer price, special price, promo price, promotional price, selling price,
      buybox price, buy box price, buy box, buybox, buy box current, amazon current, new current, amazon price, our price, price now, now price,
      new price, lightning price, price, prices primary, price value, price amount, product price,
      item price, price after discount, price to pay, price incl vat, price incl tax, preis inkl mwst, prix ttc, preis, aktueller preis, angebotspreis, verkaufspreis, endpreis, aktionspreis, sonderpreis, prix, prix actuel,
      prix promo, precio, precio actual, precio oferta, preco, preco atual, preco promocional, prezzo,
      prezzo attuale, prijs, cena, fiyat, pris, 価格, 販売価格, 価格 税込, 现价, 价格, قیمت, السعر, मूल्य, कीमत, prices,
      prices current, prices now, prices sale, prix de vente, precio final, preco final, prezzo scontato, now,
      precio rebajado, huidige prijs, nuvarande pris, cena po rabacie, cena po obnizce, indirimli fiyat, guncel fiyat`),
    fits: isMoney,
  },
  original_price: {
    names: names(`
      original price, price original, list price, listprice, price list, listed price, mrp, m r p, msrp, rrp, uvp,
      was price, price was, regular price, actual price, initial price, old price, price old,
      retail price, strike price, striked price, strikethrough price, crossed price, before price,
      price before, price before discount, base price, full price, typical price, previous price,
      reference price, normal price, market price, undiscounted price, prices original, saving basis,
      savings basis, price saving basis, suggested price, maximum retail price, original, was,
      originalpreis, listenpreis, statt, alter preis, ehemaliger preis, streichpreis, prix original,
      prix initial, prix barre, ancien prix, prix conseille, precio original, precio anterior,
      precio de lista, preco original, preco anterior, preco de lista, preco de, prezzo originale,
      prezzo consigliato, prezzo di listino, adviesprijs, oude prijs, cena regularna, eski fiyat, 参考価格,
      定価, 原价, prix public, prix catalogue, prix de base, prix normal, precio recomendado, precio habitual,
      prezzo precedente, vorheriger preis, unverbindliche preisempfehlung, catalogusprijs, pvp, pvpr, listed,
      cena przed, cena przed obnizka, cena przed promocja, cena katalogowa, onceki fiyat, liste fiyati, ordinarie pris, tidigare pris,
      vorige prijs, list, actual, prices was, prices list, prices regular, compare at price, compare at, rrp price, price`),
    fits: isMoney,
  },
  review_count: {
    names: names(`
      review count, reviews count, rating count, reviews rating count, ratings count, no of ratings, number of ratings,
      num ratings, no of reviews, number of reviews, num reviews, reviews, ratings total, reviews total,
      total reviews, total ratings, product num ratings, count reviews, customer reviews count,
      customer reviews, review, user ratings total, count of reviews, n reviews, votes, bewertungen,
      anzahl bewertungen, rezensionen, nombre avis, nombre d avis, avis, evaluations, resenas, opiniones,
      numero de resenas, avaliacoes, numero de avaliacoes, recensioni, numero recensioni,
      aantal beoordelingen, opinie, liczba opinii, yorum sayisi, antal recensioner, レビュー数, 评论数`),
    traps: words('answered question questions seller vendor store image images video'),
    fits: (value) => readCount(value) !== null || strayAvailability(value) !== undefined,
  },
  rating: {
    names: names(`
      rating, ratings, stars, star rating, average rating, avg rating, product rating,
      product star rating, review rating, rating value, rating stars, customer rating, reviews rating,
      reviews score, average stars, score, bewertung, sterne, note, etoiles, evaluation, calificacion,
      valoracion, estrellas, avaliacao, nota, estrelas, valutazione, stelle, beoordeling, ocena, puan,
      betyg, 評価, 评分`),
    traps: words(
      'count number total num no seller vendor merchant feedback store one two three four five shop distribution object',
    ),
    fits: (value) => readRating(value) !== null || isZero(value),
  },
  currency: {
    names: names(`
      currency, currency code, price currency, currency symbol, iso currency, currency iso, currency iso code,
      iso currency code, currency id, currency name, currency sign, currency unit, currency type, price currency code,
      price currency symbol, price currency id, price symbol, ccy, curr, wahrung, waehrung, wahrungscode, devise, moneda,
      moeda, valuta, waluta, para birimi, 通貨, 货币`),
    traps: words('target base convert'),
    // Whatever stands there: what isn't known to be the shop's currency is another.
    fits: () => true,
  },
  marketplace: {
    names: names(`
      marketplace, amazon domain, domain, market, marketplace domain, site, amazon site, marketplace id,
      locale domain, amazon marketplace, country code, country`),
    traps: words('origin category root seller of'),
    fits: (_, text) => shopOf(text) !== null,
  },
  availability: {
    names: names(`
      availability, availability text, availability message, availability raw, availability status,
      stock status, stock, stock text, in stock, is in stock, is available, available, stock level,
      inventory status, stock quantity, availability type, verfugbarkeit, lagerbestand, disponibilite,
      disponibilidad, disponibilidade, disponibilita, beschikbaarheid, dostepnosc, stok durumu,
      lagerstatus, 在庫, 在庫状況, 库存`),
    traps: words('date from until out not no non never'),
    fits: (value, text) =>
      typeof value === 'boolean' ||
      (text.length < 1000 && !isAddress(text.replace(/^https?:\/\/schema\.org/, ''))),
  },
  prime_eligible: {
    names: names(`
      prime eligible, is prime, prime, is prime eligible, prime eligibility, has prime, amazon prime,
      prime deal, primeeligible, prime shipping, prime delivery, delivery info is prime eligible,
      delivery, delivery text, delivery info, delivery message, shipping, shipping info, lieferung,
      livraison, envio, entrega, spedizione, 配送`),
    traps: words('super saver free international weight cost fee price standard express overnight'),
    fits: (value, text) => readBoolean(value) !== null || text.length > 3,
  },
  condition: {
    names: names(`
      condition, item condition, product condition, condition type, zustand, etat, estado, condicion, condicao,
      condizione, condizioni, staat, stan, skick, コンディション, 状態, 成色`),
    traps: words('weather terms delivery payment store seller'),
    fits: (value) => readCondition(value) !== null,
  },
  brand: {
    names: names(`
      brand, brand name, product brand, brand title, byline, byline info, manufacturer, manufacturer name, marke,
      hersteller, marque, fabricant, marca, fabricante, produttore, merk, fabrikant, marka, producent, varumarke,
      ブランド, メーカー, 品牌`),
    traps: words('seller store shop campaign related similar top'),
    fits: (value) => readBrand(value) !== null,
  },
  category: {
    names: names(`
      category path, categories path, category tree, category hierarchy, breadcrumbs, breadcrumb, categories,
      category, category name, product category, main category, primary category, department, product group, kategorie,
      kategorien, categorie, categoria, categorias, categorieen, kategoria, kategori, カテゴリ, カテゴリー, 类别, 分类`),
    traps: words('id ids rank ranks link links count number best seller sellers bsr sub deal'),
    fits: (value) => readCategory(value) !== null,
  },
  discord_timestamp: {
    names: names(`
      discord timestamp, discord posted at, posted to discord at, discord time, discord at`),
    fits: isTime,
  },
  posted_to_discord: {
    names: names(`
      posted to discord, discord posted, is posted to discord, sent to discord`),
    fits: isFlag,
  },
  first_seen: {
    names: names(`
      first seen, first seen at, first seen on, first found, found at, first detected, discovered at,
      added at, date added, added on, created at, created`),
    traps: words('release available account seller brand'),
    fits: isTime,
  },
  ends_at: {
    names: names(`
      ends at, expires at, deal ends at, deal expires at, end time, deal end time, ends on, expires on, expires, ends, expiry,
      expiration, expiry date, expiration date, expire date, expires on date, end date, deal end date, deal end, deal expiry,
      valid until, valid to, valid through, offer ends at, promotion ends at, sale ends at, endet am,
      gultig bis, valable jusqu au, valido hasta, valido ate, valido fino al, geldig tot, expired at, expired on, ended at,
      ended on, expired, ended`),
    traps: words('warranty coupon session token url link cache month week weekend release availability'),
    fits: isEnd,
  },
  deal_state: {
    names: names(`
      deal state, deal status, state, status, offer status, offer state, listing status, item status, is expired, expired,
      is over, has ended, ended, is ended, sold out, is sold out, is active, active, is live, live, inactive, is inactive,
      not expired, is not expired, not active, is not active, closed, is closed, disabled, is disabled, archived, is archived,
      deleted, is deleted, out of stock, is out of stock, oos, unavailable, is unavailable, not available, is not available, not in stock`),
    traps: words(
      'order shipping delivery shipment stock inventory availability prime response http scrape crawl fetch review seller user address united country',
    ),
    fits: (value) => readState(value) !== null || readBoolean(value) !== null,
  },
  observed_at: {
    names: names(`
      observed at, seen at, scraped at, crawled at, fetched at, retrieved at, captured at, collected at,
      extracted at, checked at, last checked at, last checked, scrape date, scrape time, scraping date,
      crawl date, crawl time, scraped timestamp, timestamp, snapshot at, price updated at, last seen,
      last seen at, last updated, last updated at, updated at, last update, modified at, datetime,
      date time, time, date, datum, fecha, data`),
    traps: words(
      'first release available availability expires expiry end ends start starts delivery launch posted published listed until valid',
    ),
    fits: isTime,
  },
}

// The table has exactly these keys, which Object.keys can't say.
export const choosingOrder = Object.keys(recognition) as ImportField[]

/** Parts of a nested name under which other things than the row's own product stand. */
export const foreignParts = words(
  'variations variants variation related similar accessories bundle bundles competitor competitors sponsored frequently reviews questions discovery search input parent other others seller sellers alternatives parameters',
)

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

function names(list: string): string[] {
  return list.trim().split(/,\s*/)
}
