import { expect, test } from 'vitest'
import { checkDealWrites } from './deal-writes.ts'
import { checkImports } from './imports.ts'
import { checkLocks } from './locks.ts'
import { Repository } from './repository.ts'
import { checkAssertions, checkDecisionIndex, checkDocuments, checkLengths, checkWords } from './texts.ts'
import { checkVocabulary } from './vocabulary.ts'

function files(texts: Record<string, string>): Repository {
  return new Repository(new Map(Object.entries(texts)))
}

function importing(from: string, specifier: string): string[] {
  return checkImports(files({ [from]: `import { x } from '${specifier}'\n` }))
}

test.each([
  ['server/src/features/deals/queries.ts'],
  ['server/src/features/deals/queries.test.ts'],
  ['server/src/platform/clock.ts'],
  ['server/src/platform/database/migrations.ts'],
  ['server/src/app.test.ts'],
  ['server/src/features/deals/paging.test.ts'],
  ['web/src/features/deals/components/deal-card.tsx'],
  ['web/src/features/deals/feed.tsx'],
  ['web/src/features/deals/view/prices.ts'],
  ['web/src/features/deals/view/prices.test.ts'],
])('%s is a kind of file the house knows', (path) => {
  expect(checkVocabulary(files({ [path]: '' }))).toEqual([])
})

test.each([
  ['server/src/features/deals/service.ts'],
  ['server/src/features/coupons/routes.ts'],
  ['server/src/utils/text.ts'],
  ['server/src/platform/odds/clock.ts'],
  ['contract/src/index.ts'],
  ['web/src/features/deals/components/card/card.tsx'],
  ['web/src/features/deals/view/prices.tsx'],
  ['web/src/features/deals/view/money/prices.ts'],
  ['web/src/hooks/use-deals.ts'],
])('%s is refused', (path) => {
  expect(checkVocabulary(files({ [path]: '' }))).not.toEqual([])
})

test('a decision record opens a place', () => {
  const path = 'server/src/features/ingest/reading/csv.ts'
  const record = { 'docs/decisions/0009-room.md': 'Allows: `server/src/features/ingest/reading/*.ts`\n' }
  expect(checkVocabulary(files({ [path]: '' }))).toHaveLength(1)
  expect(checkVocabulary(files({ [path]: '', ...record }))).toEqual([])
})

test('a component folder holds twelve', () => {
  const components = (count: number) =>
    files(
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`web/src/features/deals/components/c${n}.tsx`, '']),
      ),
    )
  expect(checkVocabulary(components(12))).toEqual([])
  expect(checkVocabulary(components(13))).toHaveLength(1)
})

test.each([
  ['server/src/features/ingest/actions.ts', '../deals/actions.ts'],
  ['server/src/features/ingest/actions.ts', '../deals/rules.ts'],
  ['server/src/features/ingest/storing/merge-chunks.ts', '../../deals/writing/merge-sql.ts'],
  ['server/src/features/deals/routes.ts', '../../platform/clock.ts'],
  ['server/src/features/deals/routes.ts', '@dealdeck/contract/deals'],
  ['server/src/start.ts', './platform/embedded/embedded-database.ts'],
  ['web/src/app/router.tsx', '../features/deals/feed.tsx'],
  ['e2e/src/live.spec.ts', '../../server/testing/cluster.ts'],
])('%s may import %s', (from, specifier) => {
  expect(importing(from, specifier)).toEqual([])
})

test.each([
  ['server/src/features/ingest/actions.ts', '../deals/queries.ts'],
  ['server/src/platform/clock.ts', '../features/deals/rules.ts'],
  ['server/src/features/deals/routes.ts', '../../app.ts'],
  ['server/src/features/deals/queries.ts', '../../platform/embedded/embedded-server.ts'],
  ['server/src/app.ts', '../testing/app.ts'],
  ['server/src/app.ts', '@dealdeck/web/main'],
  ['server/src/app.ts', '../../web/src/main.tsx'],
  ['contract/src/deals.ts', '@dealdeck/server/app'],
  ['web/src/features/home/home.tsx', '../deals/view.ts'],
  ['web/src/ui/card.tsx', '../features/deals/view.ts'],
  ['tools/test.ts', '../../elsewhere/file.ts'],
])('%s may not import %s', (from, specifier) => {
  expect(importing(from, specifier)).toHaveLength(1)
})

test('statements that write deals stand in one room', () => {
  const room = 'server/src/features/deals/writing/merge-sql.ts'
  const statements = [
    'insert into deals (asin) select',
    'update deals d set price = 1',
    'delete\n from price_points where true',
    "db.updateTable('deals').set(values)",
  ]
  for (const text of statements) {
    expect(checkDealWrites(files({ [room]: text }))).toEqual([])
    expect(checkDealWrites(files({ 'server/src/features/blacklist/actions.ts': text }))).toHaveLength(1)
    expect(checkDealWrites(files({ 'server/src/features/blacklist/actions.test.ts': text }))).toEqual([])
  }
  const reading = "select id from deals for update; update deals_seen set a = 1; db.selectFrom('deals')"
  expect(checkDealWrites(files({ 'server/src/cli/count.ts': reading }))).toEqual([])
})

test('advisory locks stand in one register, with whoever takes them', () => {
  const register = { deals: { key: 4_207_002, takenBy: ['server/src/a.ts'] } }
  const taken = { 'server/src/a.ts': "await takeLock(asking(client), 'deals', 10)" }
  const check = (path: string, text: string) => checkLocks(files({ ...taken, [path]: text }), register)
  expect(check('server/src/b.ts', '')).toEqual([])
  expect(check('faults/src/b.test.ts', 'select pg_advisory_lock($1)')).toEqual([])
  expect(checkLocks(files({}), register)).toHaveLength(1)
  expect(check('server/src/b.ts', "await takeLock(asking(client), 'deals', 10)")).toHaveLength(1)
  expect(check('server/src/b.ts', 'select pg_advisory_lock($1)')).toHaveLength(1)
  expect(check('server/src/b.test.ts', 'select pg_try_advisory_xact_lock(7)')).toHaveLength(1)
  expect(check('server/migrations/0099_b.sql', 'select pg_advisory_xact_lock($1)')).toHaveLength(1)
  expect(check('faults/src/b.test.ts', 'const held = 4_207_002')).toHaveLength(1)
})

test('exports from, bare and dynamic imports count as imports', () => {
  const text = "export { a } from './a.ts'\nimport './b.css'\nconst c = await import('./c.ts')\n"
  const several = "import {\n  d,\n  e,\n} from './d.ts'\n"
  expect(
    checkImports(files({ 'contract/src/x.ts': (text + several).replaceAll("'./", "'../../web/src/") })),
  ).toHaveLength(4)
})

test('300 lines pass, 301 do not; a decision record has 50', () => {
  const lines = (count: number) => 'x\n'.repeat(count)
  expect(checkLengths(files({ 'a.ts': lines(300), 'docs/decisions/0001-a.md': lines(50) }))).toEqual([])
  expect(checkLengths(files({ 'a.ts': lines(301), 'docs/decisions/0001-a.md': lines(51) }))).toHaveLength(2)
})

test('decision records are numbered once', () => {
  const twice = { 'docs/decisions/0001-a.md': '', 'docs/decisions/0001-b.md': '' }
  expect(checkLengths(files(twice))).toEqual(['docs/decisions/0001-b.md: number 0001 is taken'])
  expect(checkLengths(files({ 'docs/decisions/notes.md': '' }))).toHaveLength(1)
})

test('a comment has three lines at most', () => {
  expect(checkLengths(files({ 'a.ts': '// a\n// b\n// c\nx\n' }))).toEqual([])
  expect(checkLengths(files({ 'a.ts': '// a\n// b\n// c\n// d\nx\n' }))).toHaveLength(1)
})

test.each([
  ['const a = b as Deal'],
  ['const a = (b as unknown) === c'],
  ['return JSON.parse(text) as Deal[]'],
  ["const a = 'x' as keyof Deals"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template is what is tested
  ['const a = `x ${b as Deal} y`'],
  ["const a = /'/.test(b) && (c as Deal)"],
])('%s needs a reason', (code) => {
  expect(checkAssertions(files({ 'a.ts': `${code}\n` }))).toHaveLength(1)
  expect(checkAssertions(files({ 'a.ts': `${code} // the schema has just said so\n` }))).toEqual([])
  expect(checkAssertions(files({ 'a.ts': `// The schema has just said so.\n${code}\n` }))).toEqual([])
})

test.each([['const a = [1] as const'], ["import { a as B } from './b.ts'"], ["const a = 'known as Deal'"]])(
  '%s is no assertion',
  (code) => {
    expect(checkAssertions(files({ 'a.ts': `${code}\n` }))).toEqual([])
  },
)

test('unfinished things and paths of one machine are found', () => {
  const text = "// TODO later\nread('/home/someone/file')\nread('../../elsewhere/data')\n"
  expect(checkWords(files({ 'tools/a.ts': text }))).toHaveLength(3)
  expect(checkWords(files({ 'tools/a.ts': "open('http://x/work/1')\nread('../web/dist')\n" }))).toEqual([])
})

test('documents name what is there', () => {
  const there = { 'server/src/app.ts': '', 'docs/feed.png': '' }
  const good =
    'See `server/src/app.ts`, `server/src/` and ![feed](docs/feed.png), `server/src/features/<noun>/`.\n'
  expect(checkDocuments(files({ ...there, 'README.md': good }))).toEqual([])
  const bad = 'See `server/src/gone.ts` and [this](docs/gone.md).\n'
  expect(checkDocuments(files({ ...there, 'README.md': bad }))).toHaveLength(2)
})

test('every decision record stands in the index', () => {
  const records = { 'docs/decisions/0001-a.md': '', 'docs/decisions/0002-b.md': '' }
  const index = '| 1 | [A](decisions/0001-a.md) | stands |'
  expect(checkDecisionIndex(files({ ...records, 'docs/decisions.md': index }))).toEqual([
    "docs/decisions/0002-b.md: docs/decisions.md doesn't list it",
  ])
  expect(checkDecisionIndex(files(records))).toHaveLength(2)
})
