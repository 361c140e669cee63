import { expect, test } from 'vitest'
import { pageProblem } from './web-page.ts'

const problemOf = (text: string) => pageProblem(Buffer.from(text))

test('comments before a page hide nothing of it', () => {
  expect(problemOf('<?xml version="1.0"?>\n<!-- a -->\n<!-- b --><!DOCTYPE html>')).toContain('a web page')
  expect(problemOf('<!-- a --> text <!-- b --><html>')).toBeNull()
})

test('however many comments there are, it is told at once that there is no page', () => {
  const begun = performance.now()
  expect(problemOf(`${'<!---->'.repeat(26)}<rss>`)).toBeNull()
  expect(performance.now() - begun).toBeLessThan(500)
})
