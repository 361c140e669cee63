import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limitLog, sharedMegabytes } from './embedded-process.ts'

test.each([
  [0.5, 256],
  [2, 256],
  [4, 512],
  [8, 1024],
  [64, 1024],
])('of %d GB the database keeps %d MB for its files', (gigabytes, megabytes) => {
  expect(sharedMegabytes(gigabytes * 2 ** 30)).toBe(megabytes)
})

test('a long log begins anew, also where no older one can be kept, as on a full disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const log = join(folder, 'postgres.log')
  limitLog(log)
  await writeFile(log, 'a'.repeat(4_999_999))
  limitLog(log)
  expect((await stat(log)).size).toBe(4_999_999)

  await writeFile(log, 'b'.repeat(5_000_000))
  limitLog(log)
  expect((await stat(log)).size).toBe(0)
  expect((await readFile(`${log}.1`, 'utf8')).slice(0, 3)).toBe('bbb')

  await rm(`${log}.1`)
  // Nothing can be written under that name.
  await mkdir(`${log}.1`)
  await writeFile(log, 'c'.repeat(5_000_000))
  expect(() => limitLog(log)).not.toThrow()
  expect((await stat(log)).size).toBe(0)
})
