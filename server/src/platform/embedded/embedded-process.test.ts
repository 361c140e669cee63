import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lastComplaint, limitLog, logLength, sharedMegabytes } from './embedded-process.ts'

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

test('why a server does not start is not what one before it has said', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const log = join(folder, 'postgres.log')
  expect(logLength(log)).toBe(0)
  const said = (words: string) => `2026-03-01 12:00:00.000 UTC [7] FATAL:  ${words}\n`
  await writeFile(log, said('terminating connection due to administrator command'))
  const length = logLength(log)
  expect(await lastComplaint(log, length)).toBe('')
  await appendFile(log, said('could not open file') + said('the database system is starting up'))
  expect(await lastComplaint(log, length)).toBe('could not open file')
  // It was begun anew meanwhile.
  await writeFile(log, said('out of memory'))
  expect(await lastComplaint(log, length)).toBe('out of memory')
})
