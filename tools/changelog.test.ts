import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { changelogOf } from './changelog.ts'

const checkout = mkdtempSync(join(tmpdir(), 'dealdeck-changelog-'))
afterAll(() => rmSync(checkout, { recursive: true }))

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: checkout })

function commit(message: string, ...paths: string[]) {
  for (const path of paths) {
    mkdirSync(join(checkout, dirname(path)), { recursive: true })
    writeFileSync(join(checkout, path), message)
  }
  git('add', '.')
  git('commit', '-q', '-m', message)
}

test('commits stand by area, in the order of their making, from the tag on', () => {
  git('init', '-q')
  commit('Begin', 'README.md')
  git('tag', 'v1.0.0')
  commit('Sort deals', 'server/src/features/deals/queries.ts', 'docs/specification.md', 'docs/security.md')
  commit('Show prices\n\nBecause.\n\nArea: deals', 'web/src/app/shell.tsx')
  commit('Judge prices\n\nArea: server/src/features/deals', 'README.md')
  commit('Wait for the browser', 'e2e/src/deals.ts')
  expect(changelogOf(checkout, '1.1.0', '2031-02-03', 'v1.0.0')).toBe(
    [
      ...[
        '## 1.1.0 (2031-02-03)',
        '',
        '### deals',
        '',
        '- Sort deals',
        '- Show prices',
        '- Judge prices',
        '',
      ],
      ...['### tests', '', '- Wait for the browser', ''],
    ].join('\n'),
  )
  expect(changelogOf(checkout, '1.1.0', '2031-02-03')).toContain('### project\n\n- Begin\n')
})

test('a tag that does not exist is an error, not an empty list', () => {
  expect(() => changelogOf(checkout, '1.1.0', '2031-02-03', 'v0.9.0')).toThrow('v0.9.0')
})
