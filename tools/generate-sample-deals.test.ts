import { readdirSync, readFileSync } from 'node:fs'
import { verdictKindSchema } from '@dealdeck/contract/prices'
import { expect, test } from 'vitest'
import { sampleFiles, sampleFolder } from './generate-sample-deals.ts'
import { makeSampleDeals } from './sample-deals/deals.ts'

const deals = makeSampleDeals()
const shown = deals.filter((deal) => deal.availability !== null)
const percentOf = (price: number, original: number) => Math.round(((original - price) / original) * 100)

test('generating again changes no byte of what is kept', () => {
  const files = sampleFiles()
  for (const [name, text] of files) expect(readFileSync(sampleFolder + name, 'utf8'), name).toBe(text)
  const kept = readdirSync(sampleFolder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  expect(kept).toHaveLength(files.size)
})

test('pictures are small, stand alone and lead nowhere', () => {
  for (const [name, text] of sampleFiles()) {
    if (!name.endsWith('.svg')) continue
    expect(text.length, name).toBeLessThanOrEqual(3 * 1024)
    expect(text.replace('xmlns="http://www.w3.org/2000/svg"', ''), name).not.toMatch(
      /https?:|href|<script|<style|undefined|NaN/,
    )
  }
})

test('ASINs, titles and the order of ages hold', () => {
  expect(new Set(deals.map((deal) => deal.asin)).size).toBe(deals.length)
  expect(new Set(deals.map((deal) => deal.title)).size).toBe(deals.length)
  expect(deals.every((deal) => /^SAMPLE\d{4}$/.test(deal.asin))).toBe(true)
  for (const { price, original_price, history, age_minutes, price_age_minutes } of deals) {
    expect(Math.round(price * 100)).toBeCloseTo(price * 100, 6)
    if (original_price !== null) expect(original_price).toBeGreaterThan(price)
    const ages = [...history.map((point) => point.age_minutes), price_age_minutes]
    // The first price is that of the first sight, and the current one is seen at the loading.
    expect(ages[0]).toBe(age_minutes)
    expect(new Set(ages).size).toBe(ages.length)
    expect(ages).toEqual(ages.toSorted((a, b) => b - a))
  }
})

test('prices are low: most under 30, a good part under 5', () => {
  expect(deals.filter((deal) => deal.price < 30).length / deals.length).toBeGreaterThan(0.9)
  expect(deals.filter((deal) => deal.price < 5).length / deals.length).toBeGreaterThan(0.25)
})

const states: Record<string, (deal: (typeof deals)[number]) => boolean> = {
  'no original price': (deal) => deal.original_price === null,
  'five percent off': (deal) =>
    deal.original_price !== null && percentOf(deal.price, deal.original_price) === 5,
  'ninety percent off': (deal) =>
    deal.original_price !== null && percentOf(deal.price, deal.original_price) === 90,
  prime: (deal) => deal.prime_eligible,
  'not prime': (deal) => !deal.prime_eligible,
  'no rating': (deal) => deal.rating === null && deal.review_count === null,
  'no review yet': (deal) => deal.rating === null && deal.review_count === 0,
  'low rating': (deal) => deal.rating !== null && deal.rating < 2,
  'high rating': (deal) => deal.rating === 5,
  'a hundred thousand reviews': (deal) => deal.review_count === 100_000,
  'long title': (deal) => deal.title.length > 80,
  'long word': (deal) => deal.title.split(' ').some((word) => word.length > 50),
  'other script': (deal) => !/[A-Za-z]{4}/.test(deal.title),
  'no picture': (deal) => deal.image === null,
  'broken picture': (deal) => deal.image === 'no-such-picture.svg',
  'only one left': (deal) => deal.availability === 'Only 1 left',
  'four digits': (deal) => deal.price >= 1000,
  new: (deal) => deal.age_minutes < 30,
  'days old': (deal) => deal.age_minutes > 3 * 24 * 60,
  'posted to the chat': (deal) => deal.discord_age_minutes !== null,
  'price history': (deal) => deal.history.length >= 3,
}

test.each(Object.entries(states))('a visible deal shows: %s', (_name, holds) => {
  expect(shown.filter(holds).length).toBeGreaterThan(0)
})

test('the first thirty deals show every kind of verdict', () => {
  const kinds = new Set(shown.slice(0, 30).map((deal) => deal.shows))
  expect([...kinds].sort()).toEqual(verdictKindSchema.options.toSorted())
})

test('some deals are hidden', () => {
  expect(deals.length - shown.length).toBeGreaterThan(5)
})
