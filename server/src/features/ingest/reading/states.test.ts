import { expect, test } from 'vitest'
import { readAvailability } from './flags.ts'
import { readState, stateReader } from './states.ts'

test.each([
  'EXPIRED',
  'ended',
  'SOLDOUT',
  'sold out',
  'WAITLISTFULL',
  'SUPPRESSED',
  'Deal has ended',
  'cancelled',
  'Abgelaufen',
  'Expired on Nov 5',
  'Ended 2 hours ago',
  'no longer available',
  'not active',
  'This deal has already ended',
  'Ended!',
  'EXPIRED.',
  'Expired ❌',
  'Sold out (100% claimed)',
  '100% claimed',
  'Status: expired',
  'no longer live',
])('%s means that a deal is over', (state) => expect(readState(state)).toBe(true))
test.each([
  'AVAILABLE',
  'active',
  'UPCOMING',
  'WAITLIST',
  'live',
  'Published',
  'not expired',
  'Not sold out',
  'Live now',
  '🔥 LIVE',
  'Currently active',
  'Live deal',
  'Active (3 left)',
  '37% claimed',
])('%s means that it is not', (state) => expect(readState(state)).toBe(false))
test.each(['', 'Ohio', '200', 'shipped', 'x'.repeat(500), null, 7])('%j is no state', (state) =>
  expect(readState(state)).toBe(null),
)

test.each([
  [
    [
      'is_expired',
      'isOver',
      'sold_out',
      'inactive',
      'is_not_active',
      'deal.ended',
      'out_of_stock',
      'not_available',
    ],
    true,
  ],
  [['is_active', 'live', 'isLive', 'not_expired', 'is_not_expired', 'is_valid', 'deal_available'], false],
  [['status', 'state'], null],
] as const)('a yes in %j answers what the name asks: %j', (names, isOver) => {
  for (const name of names) {
    expect([name, stateReader(name)('yes')]).toEqual([name, isOver])
    expect([name, stateReader(name)(false)]).toEqual([name, isOver === null ? null : !isOver])
  }
})

test('a word for a state says it, whatever the column asks', () => {
  expect([stateReader('is_active')(0), stateReader('active')('EXPIRED')]).toEqual([true, true])
})

test.each([
  ...[
    'Not in stock',
    'not currently available',
    'No stock',
    'OOS',
    'out-of-stock',
    '0 in stock',
    'Stock: 0',
    'In stock: no',
    '0 units',
    'Sold out!',
  ],
  ...['Ausverkauft', 'derzeit nicht verfügbar', 'Nicht vorrätig', 'vergriffen', 'Nicht mehr lieferbar'],
  ...['épuisé', 'En rupture de stock', 'Actuellement indisponible', 'plus disponible'],
  ...[
    'AGOTADO',
    'Sin stock',
    'No disponible',
    'esaurito',
    'Non disponibile',
    'Esgotado',
    'Indisponível',
    'Não disponível',
  ],
  ...[
    'Uitverkocht',
    'Niet op voorraad',
    'Niedostępny',
    'wyprzedane',
    'Slutsåld',
    'ej i lager',
    'TÜKENDİ',
    'Stokta yok',
  ],
  ...[
    '在庫なし',
    '在庫切れ',
    '品切れ',
    '売り切れ',
    '缺货',
    '售罄',
    '無貨',
    '품절',
    'غير متوفر',
    'स्टॉक में नहीं',
    'Нет в наличии',
  ],
])('%s means that there is none', (text) => expect(readAvailability(text)).toBe(null))
test.each([
  ...[
    'Only 10 left in stock',
    '10 in stock',
    'In stock on November 30',
    'Auf Lager',
    'En stock',
    'Disponible',
    '在庫あり',
  ],
  ...['Usually ships within 2 to 3 days', 'Not returnable', 'Disponibile a tempo determinato'],
])('%s means that there is some', (text) => expect(readAvailability(text)).toBe(text))

test.each([
  'Add to cart',
  'ADD TO BASKET',
  'Buy now',
  'See all buying options',
  '37% claimed',
  'In den Einkaufswagen',
])('%s says nothing of availability', (text) => expect(readAvailability(text)).toBe(undefined))
test('what is claimed to the last is not available', () => {
  expect(readAvailability('100% claimed')).toBe(null)
  expect(readAvailability('Only 2 left, add to cart')).toBe('Only 2 left, add to cart')
})
