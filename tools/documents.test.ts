import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSettings } from '../server/src/platform/settings.ts'

// Tables that name all there is of something, and that nobody thinks of who adds one more.
const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')

/** What stands as code in the first column of all tables of a document. */
const firstCells = (path: string) =>
  read(path)
    .split('\n')
    .flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1]?.match(/(?<=`)[\w-]+/g) ?? [])

test('the README has every setting and every command', () => {
  const [, table = ''] = /const commands.*?\{\n(.*?)\n\}/s.exec(read('server/src/cli/main.ts')) ?? []
  const commands = [...table.matchAll(/^ {2}'?([\w-]+)'?:/gm)].map(([, name]) => name)
  expect(commands).toContain('backup')
  expect(firstCells('README.md')).toEqual(
    expect.arrayContaining([...Object.keys(readSettings({})), ...commands]),
  )
})

test('the operator’s guide has every kind of work in the background', () => {
  const kinds = globSync('server/src/features/*/jobs.ts', { cwd: root }).flatMap((path) =>
    [...read(path).matchAll(/jobKind\(\{\s+name: '([\w-]+)'/g)].map(([, name]) => name),
  )
  expect(kinds).toContain('heartbeat')
  expect(firstCells('docs/operations.md')).toEqual(expect.arrayContaining([...kinds, 'source-run']))
})
