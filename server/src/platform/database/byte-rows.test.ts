import { Socket } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { ByteClient, type ByteRow, bytesOf, byteText } from './byte-rows.ts'
import { TextQuery } from './text-query.ts'

/** Hands over what comes in piece by piece, as a network may. */
class PiecemealSocket extends Socket {
  readonly #size: number
  constructor(size: number) {
    super()
    this.#size = size
  }
  override emit(event: string | symbol, ...given: unknown[]): boolean {
    const [chunk] = given
    if (event !== 'data' || !Buffer.isBuffer(chunk)) return super.emit(event, ...given)
    for (let at = 0; at < chunk.length; at += this.#size)
      super.emit(event, chunk.subarray(at, at + this.#size))
    return true
  }
}

async function connected(make: (config: pg.ClientConfig) => pg.Client, size = 1_000_000) {
  const { url } = await testDatabases()
  const client = make({ connectionString: url, stream: () => new PiecemealSocket(size) })
  await client.connect()
  whenDone(() => client.end())
  return (text: string, values: unknown[] = []) => {
    const { promise, resolve, reject } = Promise.withResolvers<ByteRow[]>()
    client.query(new TextQuery({ text, values }, (error, rows) => (error ? reject(error) : resolve(rows))))
    return { bytes: promise, texts: () => client.query(text, values) }
  }
}

const sizes = [1, 2, 3, 5, 7, 64, 1_000_000]
for (const size of sizes)
  test(`rows come as their bytes in pieces of ${size}, and what comes between them reaches the library`, async () => {
    const ask = await connected((config) => new ByteClient(config), size)
    const many = await ask(
      `select n, case when n % 2 = 0 then repeat('ä€🎁', n) end, '' from generate_series(1, 40) n`,
    ).bytes
    const expected = Array.from({ length: 40 }, (_, at) => [
      String(at + 1),
      at % 2 === 1 ? byteText('ä€🎁'.repeat(at + 1)) : null,
      '',
    ])
    expect(many).toEqual(expected)
    const [[long] = []] = await ask(`select repeat('ж', 20000)`).bytes
    expect(bytesOf(long ?? '').toString()).toBe('ж'.repeat(20_000))
    expect(await ask('select where false').bytes).toEqual([])
    // An error after some rows, and a notice among them.
    await expect(ask('select 1 / (3 - n) from generate_series(1, 5) n').bytes).rejects.toThrow('division')
    await ask('set client_min_messages = debug1').texts()
    expect(await ask('select 5').bytes).toEqual([['5']])
    // What comes while nobody asks, and is still coming when somebody does.
    await ask('listen news').texts()
    for (let at = 0; at < 5; at++) {
      void ask(`select pg_notify('news', repeat('n', 100))`).texts()
      expect(await ask(`select ${at}`).bytes).toEqual([[String(at)]])
    }
    const { rows } = await ask('select $1::text as text', ['ü']).texts()
    expect(rows).toEqual([{ text: 'ü' }])
    expect(await ask('select $1::text', ['ü']).bytes).toEqual([[byteText('ü')]])
  })

test('a connection that knows nothing of bytes answers the same', async () => {
  const ask = await connected((config) => new pg.Client(config))
  expect(await ask('select $1::text, null', ['ü']).bytes).toEqual([[byteText('ü'), null]])
})
