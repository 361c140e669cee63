import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'

/** The format's number; it grows when an older Dealdeck could not read what a newer one writes. */
const format = 1
const magic = 'DEALDECK-BACKUP '
const maxBlockBytes = 64 * 1024 * 1024

export const backupHeaderSchema = z.object({
  created_at: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** Those of the migrations, by name; backups of the first builds have none. */
  checksums: z.record(z.string(), z.string()).default({}),
  /** In an order that satisfies their foreign keys. */
  tables: z.array(z.string()),
  /** The counters behind identity columns; null when never used. */
  counters: z.array(z.object({ table: z.string(), column: z.string(), last_value: z.number().nullable() })),
})
export type BackupHeader = z.infer<typeof backupHeaderSchema>

export const backupTableSchema = z.object({ table: z.string(), columns: z.array(z.string()) })
export const backupCountSchema = z.object({ rows: z.number() })

/**
 * A backup is one gzip stream: a first line with the format's number, then blocks of one letter, a length and that many
 * bytes. Header, then for each table: Table, Data (PostgreSQL's own text form of COPY) as often as needed, Counted; and Zero
 * to say that nothing is missing.
 */
export type BlockType = 'H' | 'T' | 'D' | 'C' | 'Z'
export type Block = { type: string; payload: Buffer }

/** The line a backup begins with. */
export function firstLine(): Buffer {
  return Buffer.from(`${magic}${format}\n`)
}

/** One block; objects travel as JSON. */
export function block(type: BlockType, content: Buffer | object): Buffer {
  const payload = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

/**
 * The blocks of a backup file, one after the other, to the end of the file.
 * Throws one clear line when it isn't a backup, is damaged or cut off, or was written by a newer Dealdeck.
 */
export async function* readBlocks(file: string): AsyncGenerator<Block> {
  const reader = new ByteReader(file)
  try {
    await reader.open()
    for (;;) {
      const head = await reader.take(5)
      if (!head) return
      const length = head.readUInt32BE(1)
      const payload = length <= maxBlockBytes ? await reader.take(length) : null
      if (!payload) throw damaged(file)
      yield { type: head.toString('latin1', 0, 1), payload }
    }
  } finally {
    reader.close()
  }
}

/** The line for a file whose content doesn't hold together. */
export function damaged(file: string, cause?: unknown): Error {
  return new Error(`${file} is damaged or incomplete. Nothing was changed.`, { cause })
}

class ByteReader {
  readonly #file: string
  readonly #source
  readonly #chunks
  #rest: Buffer = Buffer.alloc(0)

  constructor(file: string) {
    this.#file = file
    this.#source = createReadStream(file)
    const gunzip = createGunzip()
    this.#source.on('error', (error) => gunzip.destroy(error))
    this.#chunks = this.#source.pipe(gunzip)[Symbol.asyncIterator]()
  }

  /** Reads the first line. */
  async open(): Promise<void> {
    const line = (await this.take(firstLine().length))?.toString('latin1') ?? ''
    if (!line.startsWith(magic)) throw new Error(`${this.#file} is not a backup of Dealdeck.`)
    if (line !== firstLine().toString('latin1')) {
      throw new Error(
        `${this.#file} was written by a newer Dealdeck; restore it with that one or a newer one.`,
      )
    }
  }

  /** That many bytes; null when the file ends exactly here. */
  async take(length: number): Promise<Buffer | null> {
    const parts = [this.#rest]
    let size = this.#rest.length
    while (size < length) {
      const chunk = await this.#next()
      if (!chunk && size === 0) return null
      if (!chunk) throw damaged(this.#file)
      parts.push(chunk)
      size += chunk.length
    }
    const whole = parts.length === 1 ? this.#rest : Buffer.concat(parts)
    this.#rest = whole.subarray(length)
    return whole.subarray(0, length)
  }

  close(): void {
    this.#source.destroy()
  }

  async #next(): Promise<Buffer | null> {
    try {
      const { value, done } = await this.#chunks.next()
      return done ? null : value
    } catch (error) {
      throw readingError(this.#file, error)
    }
  }
}

function readingError(file: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return new Error(`There is no file ${file}.`)
  const isNoGzip = error instanceof Error && error.message === 'incorrect header check'
  if (isNoGzip) return new Error(`${file} is not a backup of Dealdeck.`, { cause: error })
  if (code.startsWith('Z_')) return damaged(file)
  return new Error(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  })
}
