import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { CsvRows, type Delimiter, delimiters } from '../../../platform/csv-rows.ts'
import { JsonRows } from './json-rows.ts'
import { ownFiles, RowLimits } from './limits.ts'
import { NdjsonRows } from './ndjson-rows.ts'
import { type RawRow, type RowReader, rowLimit } from './raw-row.ts'
import { readRows } from './rows.ts'

/** Cuts bytes at the given places, as a network may. */
async function* inPieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const offsets = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const to of [...offsets, bytes.length]) {
    yield bytes.subarray(from, to)
    from = to
  }
}

async function read(body: string | Uint8Array, cuts: readonly number[] = []) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const rows: RawRow[] = []
  let kind = ''
  for await (const batch of readRows(inPieces(bytes, cuts), new RowLimits(ownFiles, String))) {
    kind = batch.format.kind
    rows.push(...batch.rows)
  }
  return { kind, rows }
}

const cells = async (body: string | Uint8Array) =>
  (await read(body)).rows.map((row) => row.cells ?? row.problem)
const objects = async (body: string | Uint8Array) =>
  (await read(body)).rows.map((row) => row.object ?? row.problem)

function readAll(reader: RowReader, text: string, cuts: readonly number[]): RawRow[] {
  const offsets = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
  const rows: RawRow[] = []
  let from = 0
  for (const to of [...offsets, text.length]) {
    rows.push(...reader.push(text.slice(from, to)))
    from = to
  }
  return [...rows, ...reader.end()]
}

const cuts = fc.array(fc.nat(2_000), { maxLength: 12 })
const tricky = fc.string({ unit: fc.constantFrom(...'a"\\{}[],:;|\t\r\n é€😀\u2028\'') })
const json = fc
  .array(fc.dictionary(tricky, fc.oneof(tricky, fc.double(), fc.jsonValue({ maxDepth: 3 }))), {
    maxLength: 6,
  })
  // What is named by an item ID is read as the item of that ID, however deep it lies.
  .filter((rows) => !/"[0-9A-Z]{10}":/i.test(JSON.stringify(rows)))

describe('however a body is cut', () => {
  it('JSON arrays come out as they went in', () => {
    fc.assert(
      fc.property(json, cuts, fc.constantFrom(undefined, 2), (rows, offsets, indent) => {
        const text = JSON.stringify(rows, null, indent)
        const found = readAll(new JsonRows([]), text, offsets)
        expect(found.map((row) => row.object)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('wrapped JSON gives the rows of its list only', () => {
    fc.assert(
      fc.property(json, fc.jsonValue(), cuts, (rows, other, offsets) => {
        const text = JSON.stringify({ before: { rows: other }, data: { rows, next: other }, after: [other] })
        const found = readAll(new JsonRows(['data', 'rows']), text, offsets)
        expect(found.map((row) => row.object)).toEqual(JSON.parse(JSON.stringify(rows)))
      }),
    )
  })

  it('NDJSON comes out as it went in', () => {
    fc.assert(
      fc.property(json, cuts, fc.constantFrom('\n', '\r\n', '\n\n'), (rows, offsets, newline) => {
        const text = rows.map((row) => JSON.stringify(row)).join(newline)
        const found = readAll(new NdjsonRows(), text, offsets)
        expect(found.map((row) => row.object)).toEqual(rows.map((row) => JSON.parse(JSON.stringify(row))))
      }),
    )
  })

  it('CSV comes out as it went in', () => {
    const record = fc.array(tricky, { minLength: 2, maxLength: 5 })
    const table = fc.array(
      record.filter((row) => row.some((cell) => cell.trim() !== '')),
      { maxLength: 6 },
    )
    const delimiter = fc.constantFrom<Delimiter>(...delimiters)
    fc.assert(
      fc.property(table, delimiter, cuts, fc.constantFrom('\n', '\r\n'), (rows, by, offsets, newline) => {
        const text = rows
          .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(by))
          .join(newline)
        const found = readAll(new CsvRows(by), text, offsets)
        expect(found.map((row) => row.cells)).toEqual(rows)
      }),
    )
  })

  it('bytes mean the same', async () => {
    await fc.assert(
      fc.asyncProperty(json, cuts, fc.boolean(), async (rows, offsets, packed) => {
        const text = Buffer.from(JSON.stringify(rows))
        const { rows: found } = await read(packed ? gzipSync(text) : text, offsets)
        expect(found.map((row) => row.object)).toEqual(JSON.parse(text.toString()))
      }),
      { numRuns: 50 },
    )
  })

  it('nonsense never does more than fail with a clear error', async () => {
    const nonsense = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      tricky.map((text) => Buffer.from(text)),
    )
    await fc.assert(
      fc.asyncProperty(nonsense, cuts, async (bytes, offsets) => {
        await read(bytes, offsets).catch((error: unknown) => {
          expect(error).toMatchObject({ name: 'AppError', message: expect.stringMatching(/\.$/) })
        })
      }),
      { numRuns: 300 },
    )
  })
})

describe('formats', () => {
  test.each([
    ['[{"a":1},{"a":2}]', 'json', 2],
    ['\ufeff  [ {"a":1} , {"a":2} ]\n', 'json', 2],
    ['{"status":"ok","parameters":{"tags":["x"]},"data":{"deals":[{"a":1},{"a":2}]}}', 'json', 2],
    ['{"products":[]}', 'json', 0],
    ['[]', 'json', 0],
    ['{"asin":"B0ABCD1234","images":[{"u":1},{"u":2}]}', 'ndjson', 1],
    ['{\n  "asin": "B0ABCD1234",\n  "images": [{}, {}]\n}\n{\n  "asin": "B0ABCD1235"\n}', 'json', 2],
    ['{"a":1}\n{"a":2}\n\n{"a":3}\n', 'ndjson', 3],
    ['{"a":broken\n{"a":2}\n', 'ndjson', 2],
    ['a,b\n1,2', 'csv', 2],
  ])('%j is %s with %d rows', async (body, kind, count) => {
    const found = await read(body)
    expect([found.kind, found.rows.length]).toEqual([kind, count])
  })

  test('a broken NDJSON line spoils only itself', async () => {
    expect(await objects('{"a":1}\n{"a":\n[1]\n{"a":2}')).toEqual([
      { a: 1 },
      'the row is not valid JSON',
      'the row is not an object with named fields',
      { a: 2 },
    ])
  })

  test('a row that says a name twice is one to refuse: of two prices neither is known to be true', async () => {
    const twice = '{"asin":"B0ABCD1234","price":5,"offers":{"price":1,"price":9}}'
    const problem = 'price stands twice in one object'
    expect(await objects(`[${twice},{"a":2}]`)).toEqual([problem, { a: 2 }])
    expect(await objects(`${twice}\n{"a":2}`)).toEqual([problem, { a: 2 }])
  })

  test('elements that are no objects are rows to refuse', async () => {
    expect(await objects('[{"a":"]}"}, 5, "x", null, [1,{"b":2}], {"a":2}]')).toEqual([
      { a: ']}' },
      ...Array(4).fill('the row is not an object with named fields'),
      { a: 2 },
    ])
  })

  test.each([
    '[{"a":1}',
    '[{"a":1},',
    '{"deals":[{"a":1}]',
    '[{"a":"x',
    '[{"a":1}] x',
    '[{"a":1}}',
    '{"deals":',
  ])('%j is refused whole', async (body) => {
    await expect(read(body)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('a row without an end is one refused row, not a full memory', async () => {
    const long = `{"a":"${'x'.repeat(rowLimit + 10)}"}`
    for (const body of [`{"b":1}\n${long}\n{"b":2}`, `[{"b":1},${long},{"b":2}]`]) {
      expect(await objects(body)).toEqual([{ b: 1 }, expect.stringContaining('longer than'), { b: 2 }])
    }
  })

  test.each([
    '[{"a":1}]\n{"a":2}',
    '{"B000000001":{"asin":"B000000001","price":1}}\n[{"a":2}]',
    '{"d":[{"a":1}]}[{"a":2}]',
  ])('what comes behind the list in another form is never passed over: %s', async (body) => {
    await expect(objects(body)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('endless nesting is a refused row', async () => {
    expect(await objects(`{"b":1}\n${'['.repeat(900_000)}\n{"b":2}`)).toEqual([
      { b: 1 },
      expect.any(String),
      { b: 2 },
    ])
  })
})

describe('CSV', () => {
  test.each([',', ';', '\t', '|'])('finds the delimiter %j', async (by) => {
    const body = [`asin${by}title${by}price`, `B0ABCD1234${by}"Mug, blue; large | new"${by}"1,50"`].join('\n')
    expect((await cells(body))[1]).toEqual(['B0ABCD1234', 'Mug, blue; large | new', '1,50'])
  })

  test('keeps quoted newlines and stray quotes, whatever ends the lines', async () => {
    for (const newline of ['\n', '\r\n', '\r']) {
      const body = ['a,b', '"one\ntwo",5" screen', '"say "hi" now",x', '', ',', '1'].join(newline)
      expect(await cells(body)).toEqual([['a', 'b'], ['one\ntwo', '5" screen'], ['say "hi" now', 'x'], ['1']])
    }
  })

  test('a quote that never closes spoils only its line', async () => {
    expect(await cells('a,b\n"open,1\nx,2\ny,3')).toEqual([
      ['a', 'b'],
      'a quotation mark is opened but never closed',
      ['x', '2'],
      ['y', '3'],
    ])
  })
})

describe('encodings', () => {
  const text = 'a,b\nCafé,“x” €\n'
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 the other way round', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    [
      'Windows-1252',
      Buffer.from(text.replace('“', '\x93').replace('”', '\x94').replace('€', '\x80'), 'latin1'),
    ],
    ['gzip', gzipSync(text)],
  ])('%s', async (_name, bytes) => {
    for (const cut of [[], [1, 2, 3, 7, 8, 9], [8], [11, 12, 13, 14]]) {
      expect((await read(bytes, cut)).rows.map((row) => row.cells)).toEqual([
        ['a', 'b'],
        ['Café', '“x” €'],
      ])
    }
  })
})
