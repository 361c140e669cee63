import { expect, test } from 'vitest'
import { pageProblem } from './web-page.ts'

const problemOf = (text: string) => pageProblem(Buffer.from(text))

test('comments before a page hide nothing of it', () => {
  expect(problemOf('<?xml version="1.0"?>\n<!-- a -->\n<!-- b --><!DOCTYPE html>')).toContain('a web page')
  expect(problemOf('<!-- a --> text <!-- b --><html>')).toBeNull()
})

test('however many comments there are, it is told that there is no page', { timeout: 5_000 }, () => {
  // Were all ways to read them tried, so many would take longer than that.
  expect(problemOf(`${'<!---->'.repeat(30)}<rss>`)).toBeNull()
})
