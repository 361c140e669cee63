import { expect, test } from 'vitest'
import { readBrand, readCategory, readCondition } from './labels.ts'

test.each([
  ['Acme', 'Acme'],
  [' Brand: Acme &amp; Sons ', 'Acme & Sons'],
  ['Visit the Acme Store', 'Acme'],
  ['ブランド', 'ブランド'],
  ['3M', '3M'],
  ['-', null],
  ['N/A', null],
  ['', null],
  [undefined, null],
  ['https://www.example.com/stores/acme', null],
  ['x'.repeat(1_001), null],
])('%j names the brand %j', (cell, brand) => {
  expect(readBrand(cell)).toBe(brand)
})

test.each([
  ['Kitchen', 'Kitchen'],
  ['Home|Kitchen|Kettles', 'Home > Kitchen > Kettles'],
  ['Home & Kitchen > Kettles > Copper', 'Home & Kitchen > Kettles > Copper'],
  ['Home &amp; Kitchen › Kettles', 'Home & Kitchen > Kettles'],
  ['Home &gt; Kettles', 'Home > Kettles'],
  ['Home / Kettles', 'Home > Kettles'],
  ['Audio/Video', 'Audio/Video'],
  // What a JSON list becomes on its way here, and one in a cell of a CSV.
  ['Home\nKettles', 'Home > Kettles'],
  ['["Home", "Kettles"]', 'Home > Kettles'],
  ['[Outlet] Kettles', '[Outlet] Kettles'],
  ['Home > Home > > Kettles >', 'Home > Kettles'],
  ['Home, Garden & Tools', 'Home, Garden & Tools'],
  ['> - >', null],
  ['https://www.example.com/b?node=1', null],
  [null, null],
])('%j is the category %j', (cell, category) => {
  expect(readCategory(cell)).toBe(category)
})

test('a category of endless steps is cut', () => {
  expect(
    readCategory(Array.from({ length: 30 }, (_, at) => `Step ${at}`).join('|'))?.split(' > '),
  ).toHaveLength(10)
})

test.each([
  ['New', 'new'],
  ['https://schema.org/NewCondition', 'new'],
  ['NewCondition', 'new'],
  ['Brand new, sealed', 'new'],
  ['Neu', 'new'],
  ['新品', 'new'],
  ['Used - Like New', 'used'],
  ['Like New', 'used'],
  ['Gebraucht', 'used'],
  ['Pre-owned', 'used'],
  ['Amazon Renewed', 'renewed'],
  ['Used, refurbished', 'renewed'],
  ['Reacondicionado', 'renewed'],
  ['not new', null],
  ['Nicht neu', null],
  ['Not used, brand new', 'new'],
  ['non-refurbished, new', 'new'],
  ['Not new, used', 'used'],
  ['Sunny', null],
  ['Newcastle', null],
  ['', null],
  [1, null],
])('%j is the condition %j', (cell, condition) => {
  expect(readCondition(cell)).toBe(condition)
})
