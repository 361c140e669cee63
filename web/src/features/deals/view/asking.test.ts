import { parseQuestion } from '@dealdeck/query/parsing'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  activeControls,
  contradictedIn,
  controlsOf,
  filtersOfText,
  matcherOfFilters,
  wholeText,
  withContradicted,
  withControls,
} from './asking.ts'
import { contradictedOf, sentenceOf } from './chips.ts'
import { type Controls, noControls } from './controls.ts'
import { type Asker, defaultFilters, notContradicted } from './filters.ts'
import { filtersOf } from './language.ts'
import { sampleDeals } from './samples.ts'

const asker: Asker = { defaultMax: 30, hidesContradicted: false, isAdministrator: false }
const own = { ...noControls, max: 30 }

describe('what a text asks the server for', () => {
  it.each([
    ['', { query: '', max: 30 }],
    ['lamp', { query: 'lamp', max: 30 }],
    ['lamp price:<=20', { query: 'lamp', max: 20 }],
    ['price:any', { query: '', max: null }],
    ['lamp price:any off:50', { query: 'lamp off:>=50', max: null }],
    ['lamp price:>5', { query: 'lamp price:>5', max: null }],
    ['lamp OR price:<5', { query: 'lamp OR price:<5', max: null }],
    ['-price:<5', { query: '-price:<5', max: null }],
    ['price:<5,>10 price:<=40', { query: 'price:<5,>10', max: 40 }],
    ['lamp price:<ten -', { query: 'lamp', max: 30 }],
    ['sort:price lamp', { query: 'lamp', max: 30, sort: 'price' }],
    ['is:hidden lamp', { query: 'lamp', max: 30 }],
  ])('%s', (text, filters) => {
    expect(filtersOfText(text, asker)).toEqual({ sort: 'newest', ...filters })
  })

  it('is for an administrator also what is hidden, of which no page decides', () => {
    const filters = filtersOfText('is:hidden', { ...asker, isAdministrator: true })
    expect(filters.query).toBe('is:hidden')
    expect(matcherOfFilters(filters, 0)).toBeUndefined()
  })

  it('is one text that means the same for everybody', () => {
    const whole = (text: string) => wholeText(filtersOfText(text, asker))
    expect(whole('')).toBe('price:<=30')
    expect(whole('lamp sort:price')).toBe('lamp price:<=30 sort:price')
    expect(whole('lamp price:any')).toBe('price:any lamp')
    expect(whole('lamp OR price:>5')).toBe('lamp OR price:>5')
    // Asked before the language had come, without a highest price.
    expect(wholeText(filtersOf({ q: 'lamp sort:price' }, asker))).toBe('price:any lamp sort:price')
    for (const text of ['', 'lamp', 'price:any', 'price:5..9 sort:off', 'a OR b price:<=3']) {
      const other = filtersOfText(whole(text), { ...asker, defaultMax: 55 })
      expect(wholeText(other)).toBe(whole(text))
    }
  })
})

const anyControls: fc.Arbitrary<Controls> = fc.record({
  sort: fc.constantFrom('newest', 'updated', 'discount', 'price', 'discord'),
  min: fc.option(fc.integer({ min: 1, max: 9_999_999_999 }).map((cents) => cents / 100)),
  max: fc.option(fc.integer({ min: 0, max: 9_999_999_999 }).map((cents) => cents / 100)),
  otherPrice: fc.constant(null),
  off: fc.option(fc.integer({ min: 0, max: 100 })),
  rating: fc.option(fc.integer({ min: 1, max: 50 }).map((tenths) => tenths / 10)),
  prime: fc.boolean(),
  today: fc.boolean(),
})
const texts = fc.constantFrom(
  '',
  'lamp',
  '"two words" -x',
  'brand:casio lamp',
  'casio OR seiko',
  '(',
  'lamp"',
)

describe('the controls', () => {
  it('say what they were set to, each by itself and all together, and leave the rest', () => {
    fc.assert(
      fc.property(texts, anyControls, anyControls, (text, controls, before) => {
        const { otherPrice: _, ...change } = controls
        const rest = filtersOfText(withControls(text, { ...noControls, max: 30 }, asker), asker)
        const start = withControls(text, before, asker)
        const all = withControls(start, change, asker)
        expect(controlsOf(all, asker), all).toEqual(controls)
        expect(parseQuestion(all).problems).toEqual(parseQuestion(text).problems.map(() => expect.anything()))
        expect(filtersOfText(withControls(all, own, asker), asker)).toEqual(rest)
        for (const name of ['sort', 'off', 'rating', 'prime', 'today'] as const) {
          const one = withControls(start, { [name]: controls[name] }, asker)
          expect(controlsOf(one, asker), one).toEqual({ ...before, [name]: controls[name] })
        }
        for (const name of ['min', 'max'] as const) {
          const one = withControls(start, { [name]: controls[name] }, asker)
          expect(controlsOf(one, asker), one).toEqual({ ...before, [name]: controls[name] })
        }
      }),
    )
  })

  it.each([
    ['', {}],
    ['price:<10', { max: 9.99 }],
    ['price:>5 price:<=20', { min: 5.01, max: 20 }],
    ['price:=7', { min: 7, max: 7 }],
    ['price:any', { max: null }],
    ['price:<5,>10', { max: null, otherPrice: 'under 5 or over 10' }],
    ['lamp OR price:<5', { max: null, otherPrice: "'lamp' or under 5" }],
    ['off:<20', { off: 'under 20 % off' }],
    ['off:>20 off:<40', { off: 'over 20 % off, under 40 % off' }],
    ['rating:any', { rating: 0 }],
    ['prime:no new:<2h', {}],
  ])('show of %s what they can, and the rest in words', (text, shown) => {
    expect(controlsOf(text, asker)).toEqual({ ...own, ...shown })
  })

  it('change the text where it says their part, and nothing else in it', () => {
    expect(withControls('lamp  price:<20 -x', { max: 25 }, asker)).toBe('lamp  -x price:<=25')
    expect(withControls('lamp price:<20', { max: 30 }, asker)).toBe('lamp')
    expect(withControls('price:<20', { max: null }, asker)).toBe('price:any')
    expect(withControls('price:5..10', { max: null }, asker)).toBe('price:>=5')
    expect(withControls('lamp price:<20 brand:x off:50 sort:price prime:yes', own, asker)).toBe(
      'lamp brand:x',
    )
    // What is in parentheses can't be taken out by itself.
    for (const sort of ['newest', 'discount'] as const)
      expect(withControls('(lamp sort:price)', { sort }, asker)).toBe(`sort:${sort} (lamp sort:price)`)
    expect(withControls('sort:off (lamp sort:price)', { sort: 'price' }, asker)).toBe('(lamp sort:price)')
  })

  it('count where they say something, a range once', () => {
    const count = (text: string) => activeControls(controlsOf(text, asker), 30)
    expect(count('lamp sort:price')).toBe(0)
    expect(count('price:1..2')).toBe(1)
    expect(count('price:any prime:yes new:today')).toBe(3)
    expect(count('off:50 rating:4 price:<3,>9')).toBe(3)
  })
})

test('deals are decided as the server decides them', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const [made] = sampleDeals(now)
  const passes = (text: string, change = {}) =>
    matcherOfFilters(filtersOfText(text, asker), now)?.({ ...made, is_sample: false, ...change })
  expect(passes('')).toBe(true)
  expect(passes('', { price: 30.01 })).toBe(false)
  expect(passes('price:any', { price: 30.01 })).toBe(true)
  expect(passes('LAMP desk')).toBe(true)
  expect(passes('desk -lamp')).toBe(false)
  expect(passes('brand:acme', { brand: 'ÁCME' })).toBe(true)
})

describe('who hides contradicted discounts', () => {
  const hiding: Asker = { ...asker, hidesContradicted: true }
  const queryOf = (text: string) => filtersOfText(text, hiding).query

  it('asks without them, with the language and without it', () => {
    expect(queryOf('')).toBe(notContradicted)
    expect(defaultFilters(hiding)).toEqual(filtersOfText('', hiding))
    expect(queryOf('lamp OR tent off:50')).toBe(`lamp OR tent off:>=50 ${notContradicted}`)
    expect(filtersOfText('lamp', asker).query).toBe('lamp')
  })

  it('sees them wherever the text says something of verdicts', () => {
    expect(queryOf('verdict:raised')).toBe('verdict:raised')
    expect(queryOf('lamp -verdict:new')).toBe('lamp -verdict:new')
    expect(queryOf(withContradicted('lamp', hiding))).toBe('lamp verdict:any')
    expect(withContradicted('lamp OR', hiding)).toBe('verdict:any lamp OR')
  })

  it('has those counted that are hidden here, and nothing where none are', () => {
    expect(contradictedIn('lamp price:<20 sort:price', hiding)).toEqual({
      ...{ sort: 'price', query: 'lamp price:<20 verdict:raised,listnotseen', max: null },
    })
    expect(contradictedIn('', hiding)).toMatchObject({ query: 'verdict:raised,listnotseen', max: 30 })
    expect(contradictedIn('verdict:any', hiding)).toBeUndefined()
    expect(contradictedIn('lamp', asker)).toBeUndefined()
  })

  it('keeps and shares a question that leaves them out for everybody', () => {
    expect(wholeText(filtersOfText('lamp', hiding))).toBe(`lamp ${notContradicted} price:<=30`)
  })

  it('reads so in the sentence, and is offered as what may hide everything', () => {
    const [money, text] = [(amount: number) => `$${amount}`, 'lamp off:50']
    expect(sentenceOf(text, hiding, money)).toContain('not raised before its discount')
    expect(sentenceOf(text, asker, money)).not.toContain('raised')
    expect(contradictedOf(text, hiding)?.without).toBe('lamp off:50 verdict:any')
    expect(contradictedOf(text, asker)).toBeUndefined()
  })
})
