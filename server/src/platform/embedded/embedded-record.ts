import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const recordSchema = z.object({
  /** The cluster's folder: relative to DATA_DIR when it lies inside, so that DATA_DIR can be moved. */
  cluster: z.string(),
  password: z.string(),
  /** Where the server listens, or last listened. */
  port: z.number(),
})

/** What DATA_DIR/database.json says of the embedded database; readable by its owner only. */
export type DatabaseRecord = z.infer<typeof recordSchema>

const fileOf = (dataDir: string) => join(dataDir, 'database.json')

/** Null when there is none, or none that can be read: the password can be set anew. */
export async function readRecord(dataDir: string): Promise<DatabaseRecord | null> {
  if (!existsSync(fileOf(dataDir))) return null
  try {
    return recordSchema.parse(JSON.parse(await readFile(fileOf(dataDir), 'utf8')))
  } catch {
    return null
  }
}

/** Replaces the record in one step, so that a reader never sees half of it. */
export async function writeRecord(dataDir: string, record: DatabaseRecord): Promise<void> {
  await writeFile(`${fileOf(dataDir)}.new`, `${JSON.stringify(record, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  })
  await rename(`${fileOf(dataDir)}.new`, fileOf(dataDir))
}

/** The address at which the application and the commands reach their database. */
export function databaseUrl(record: DatabaseRecord): string {
  return `postgres://dealdeck:${record.password}@127.0.0.1:${record.port}/dealdeck`
}
