import type { FilterImportResult, FilterInput } from '@dealdeck/contract/filters'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { readFilterFile, writeFilterFile } from './rules.ts'

const path = '/api/amazon_filters'

async function filesOf() {
  const { app, databases, signIn } = await buildTestApp()
  const { headers } = await signIn('admin')
  const send = async (payload: string, query = '') => {
    const response = await app.inject({
      ...{ method: 'POST', url: `${path}/import${query}`, payload },
      headers: { ...headers, 'content-type': 'text/csv' },
    })
    const body: FilterImportResult & { message: string; fields: object } = response.json()
    return { status: response.statusCode, body }
  }
  const list = async (): Promise<FilterInput[]> =>
    (await app.inject({ url: path, headers }))
      .json<FilterInput[]>()
      .map(({ category, name, code }) => ({ category, name, code }))
  const file = async (format: string) => app.inject({ url: `${path}/export?format=${format}`, headers })
  return { databases, send, list, file }
}

const some: FilterInput[] = [
  { category: 'brands', name: 'Bolt, "Sons" & Co', code: 'p_89:Bolt & Co' },
  { category: 'brands', name: 'नमस्ते ; x', code: 'p_89:x' },
  { category: 'percent_off', name: '-20%', code: 'p_8:20-' },
  { category: 'sort_by', name: 'Cheapest', code: 's=price-asc-rank' },
]
const counts = (added: number, changed: number, removed: number, unchanged: number) => ({
  ...{ added, changed, removed, unchanged },
})

test.each(['json', 'csv'])(
  'what was written as %s comes back the same, elsewhere and here',
  async (format) => {
    const here = await filesOf()
    expect((await here.send(JSON.stringify(some))).body).toMatchObject(counts(4, 0, 0, 0))
    const written = await here.file(format)
    expect(written.headers['content-disposition']).toBe(`attachment; filename="dealdeck-filters.${format}"`)
    const again = await here.send(`\uFEFF${written.body}`, '?replace=true')
    expect(again.body).toEqual({ ...counts(0, 0, 0, 4), dry_run: false })
    const there = await filesOf()
    await there.send(written.body)
    expect(await there.list()).toEqual(await here.list())
    expect(await there.list()).toHaveLength(4)
  },
)

test('a file adds and changes; only with replace it removes; a dry run does neither', async () => {
  const { databases, send, list } = await filesOf()
  await send(writeFilterFile(some, 'csv'))
  const before = await list()
  const file = 'code;name;category;note\np_8:25-;-20%;percent_off;x\n\nrh=p_89%3ANew;New;brands;\n'
  expect((await send(file, '?replace=true&dry_run=true')).body).toEqual({
    ...counts(1, 1, 3, 0),
    dry_run: true,
  })
  expect(await list()).toEqual(before)
  expect((await send(file)).body).toMatchObject(counts(1, 1, 0, 0))
  expect(await list()).toHaveLength(5)
  expect((await send(file, '?replace=true')).body).toMatchObject(counts(0, 0, 3, 2))
  expect(await list()).toEqual([
    { category: 'brands', name: 'New', code: 'p_89:New' },
    { category: 'percent_off', name: '-20%', code: 'p_8:25-' },
  ])
  const { rows } = await databases.customPlanPool.query(
    'select action, count(*) as n from audit_entries group by action order by action',
  )
  expect(rows).toEqual([
    { action: 'add', n: 5 },
    { action: 'change', n: 1 },
    { action: 'remove', n: 3 },
  ])
})

test('a broken file changes nothing and says which line', async () => {
  const { send, list } = await filesOf()
  await send(JSON.stringify(some))
  const before = await list()
  const head = 'category,name,code\nbrands,Fine,p_89:Fine\n'
  const broken: [file: string, message: string][] = [
    [`${head}brands,,p_89:X\n`, 'Line 3: Please enter both name and code. Nothing was changed.'],
    [`${head}"brands","two\nlines",p_89:X\nshoes,X,p_89:X`, 'Line 5: category must be one of'],
    [`${head}\n\nbrands,FINE,p_89:X`, "Line 5: 'FINE' stands in line 2 already. Nothing was changed."],
    [`${head}brands,X,nonsense`, "Line 3: 'nonsense' doesn't say what it filters."],
    [`${head}brands,"X,p_89:X\nbrands,Y,p_89:Y`, 'Line 3: a quotation mark is opened but never closed.'],
    [
      `${head}brands,"X,p_89:X\nbrands,Y",p_89:Y`,
      'Line 3: a quotation mark in it is closed in a later line. Nothing was changed.',
    ],
    [
      `${head}brands,X,"p_89:X\nbrands,Y,p_89:Y"\n`,
      'Line 3: a quotation mark in it is closed in a later line.',
    ],
    [
      '[{"category":"brands","name":"X",\n"code":"p_89:X","code":"p_89:Y"}]',
      "Line 2: 'code' stands twice in one filter.",
    ],
    ['name,code\nX,p_89:X', 'Line 1: the first line must name the columns; category is missing.'],
    ['{"brands":{}}', 'Line 1: a list of filters must start with [.'],
    [
      `[\n\n {"category":"brands","name":"A","code":"p_89:A"},\n\n {"name":\n "["}]`,
      'Line 5: category must be one of',
    ],
    [
      `[\n${JSON.stringify(some[0])},\n7]`,
      'Line 3: a filter must be an object with category, name and code.',
    ],
    // As a cell over thousands of empty lines is read: they are nothing to compare with filters.
    [`${head}brands,"${'\n'.repeat(30_000)}",p_89:X`, 'Line 3: Please enter both name and code.'],
    [`[\n${JSON.stringify(some[0])}\n`, 'Line 2: this is not readable as JSON.'],
    [`[\n\n${JSON.stringify(some[0])} oops ]`, 'Line 3: this is not readable as JSON.'],
    [
      `${head}brands,Caf\uFFFD Noir,p_89:X`,
      "Line 3: a sign in 'Caf\uFFFD Noir' can't be read. Save the file as UTF-8.",
    ],
    ['', 'Line 1: the first line must name the columns; category, name, code is missing.'],
    ['category,name,code\n', 'There is no filter in this file.'],
    [
      `${head}brands,,x\nbrands,,y\nbrands,,z`,
      'Line 3: Please enter both name and code. 2 more lines are wrong.',
    ],
  ]
  for (const [file, message] of broken) {
    const { status, body } = await send(file, '?replace=true')
    expect([status, body.message.slice(0, message.length)]).toEqual([400, message])
    expect(await list()).toEqual(before)
  }
})

test('a full list is refused whole, a list of 10,000 is taken', async () => {
  const { send, list } = await filesOf()
  const rows = (count: number, name: string) =>
    JSON.stringify(
      Array.from({ length: count }, (_, at) => ({
        category: 'brands',
        name: `${name} ${at}`,
        code: 'p_89:X',
      })),
    )
  expect((await send(rows(10_000, 'Brand'))).body).toMatchObject(counts(10_000, 0, 0, 0))
  const { status, body } = await send(rows(1, 'Other'))
  expect([status, body.message]).toEqual([409, 'That would be more than 10000 filters. Nothing was changed.'])
  expect((await send(rows(1, 'Other'), '?replace=true')).body).toMatchObject(counts(1, 0, 10_000, 0))
  expect(await list()).toHaveLength(1)
})

// Eight megabytes of it kept the whole process busy for 24 seconds, and took gigabytes for what was wrong.
test('a file of more lines than there can be filters is refused before they are checked', async () => {
  const { send } = await filesOf()
  const line = 'brands,Brand,p_89:X\n'
  const files = [
    `[${'1,'.repeat(10_000)}1]`,
    `category,name,code\n${line.repeat(20_001)}`,
    `category,name,code\n${`"x","${line.repeat(201)}",\n`.repeat(100)}`,
  ]
  for (const file of files) {
    const { status, body } = await send(file)
    expect([status, body.message, body.fields]).toEqual([
      400,
      'There are more than 10000 lines in this file, and no list of filters is longer. Nothing was changed.',
      undefined,
    ])
  }
})

// Eight megabytes of long codes kept the whole process busy for 15 seconds, though nothing is wrong with them.
test.each([
  ['lines', (lines: string[]) => lines.join('\n')],
  ['lines of one cell', (lines: string[]) => `x;"\n${lines.join('\n')}";p_89:x`],
])('others have their turn while %s with long codes are read', async (_, fileOf) => {
  const lines = Array.from({ length: 200 }, (_, at) => `brands;N${at};${'p_1:%2541,'.repeat(190)}`)
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await readFilterFile(`category;name;code\n${fileOf(lines)}`).catch(() => undefined)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(5)
})
