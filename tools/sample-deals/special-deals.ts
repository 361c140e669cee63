import type { ColourName } from './colours.ts'
import type { DrawingName } from './drawings.ts'
import type { SampleDeal } from './sample-deal.ts'

/** What is changed on an ordinary deal to show one state of a card; `picture` replaces the drawing. */
export type Special = { picture?: readonly [DrawingName, ColourName] } & Partial<
  Omit<SampleDeal, 'asin' | 'age_minutes' | 'shows' | 'history' | 'price_age_minutes'>
>

/** A picture address that leads nowhere: the card must fall back to its placeholder. */
const brokenImage = 'no-such-picture.svg'

/** The rarer states of a card, spread over the newer deals so that they are met without searching. */
export const specials: readonly Special[] = [
  {
    price: 0.97,
    original_price: 9.7,
    picture: ['polish', 'plum'],
    title: 'Pellowick Nail Polish Trio, High Shine, Berry Tones',
  },
  { availability: 'Only 2 left' },
  {
    picture: ['cable', 'slate'],
    title:
      'Zibbaro Braided Fast Charge Cable with Reinforced Ends for Phones, Tablets, Earbuds, Power Banks and Handheld Consoles, 10,000 Bend Tested, 3 Pack, Gray Braid',
    price: 6.49,
    original_price: 12.99,
  },
  {
    title: '陶器のマグカップ 350ml 電子レンジ対応 2個セット グリーン',
    picture: ['mug', 'sage'],
    price: 8.4,
    original_price: 14,
  },
  { rating: null, review_count: null },
  {
    picture: ['bowl', 'ink'],
    title: 'कुत्तों के लिए नॉन-स्लिप कटोरा, मध्यम आकार, नीला',
    price: 4.75,
    original_price: 6.5,
  },
  { image: null },
  { rating: 4.8, review_count: 100_000 },
  { price: 18.99, original_price: 19.99, prime_eligible: false },
  { rating: 1.4, review_count: 7, availability: 'Only 1 left' },
  { image: brokenImage },
  {
    picture: ['lamp', 'plum'],
    title: 'مصباح مكتب LED قابل للتعديل بثلاث درجات سطوع',
    price: 12.5,
    original_price: null,
  },
  {
    price: 1249,
    original_price: 1899.5,
    picture: ['earbuds', 'plum'],
    title: 'Snorvik Studio Earbuds, Limited Workshop Edition, Violet',
  },
  { rating: 5, review_count: 1 },
  {
    picture: ['yarn', 'plum'],
    title: 'Пряжа для вязания, мягкий хлопок, 5 мотков, сиреневая',
    price: 5.2,
    original_price: 7.99,
  },
  { rating: null, review_count: 0 },
  { price: 1, original_price: null, picture: ['duck', 'lemon'], title: 'Fluppin Rubber Duck, Yellow' },
  { original_price: null, prime_eligible: false, availability: 'Usually ships within 2 to 3 days' },
  { price: 2.5, original_price: 24.99, rating: 3.9, review_count: 2_255 },
  {
    title: 'Κερί σόγιας με άρωμα θάλασσας, 40 ώρες',
    picture: ['candle', 'sky'],
    price: 3.3,
    original_price: 4,
  },
  {
    title:
      'Grindlewump Extraordinarily-Dependable-Multipurpose-Measuring-Tape-With-An-Unbroken-Name, Easy-Read Fractions, Magnetic Hook, Orange',
    picture: ['tape-measure', 'coral'],
  },
  {
    price: 2150,
    original_price: null,
    picture: ['dumbbell', 'mint'],
    title: 'Klembury Complete Dumbbell Wall with Rack, Teal',
  },
  { image: null, rating: null, review_count: null, original_price: null, availability: 'Only 5 left' },
  {
    title: '고양이 장난감 물고기, 캣닢 포함 🐟',
    picture: ['fish', 'coral'],
    price: 2.2,
    original_price: 3.1,
  },
]
