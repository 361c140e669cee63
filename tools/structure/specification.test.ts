import { expect, test } from 'vitest'
import { Repository } from './repository.ts'
import { checkSpecification } from './specification.ts'

const tests = [
  "test('a word is hidden', () => {})",
  'test.describe("don\'t", () => {',
  "  it.each([\n    ['a', 1],\n  ])(\n    'of %s there is %d', () => {})",
  "describe.each(routes)('$method is for: $access', () => {})",
].join('\n')
const good = {
  item: 'Words hide deals',
  where: '`server/src/app.ts`, `web/src/`',
  proof: '`server/src/app.test.ts` “word is hidden”',
  differs: '',
}

function check(
  changes: Partial<typeof good> = {},
  counts = '1 items: 1 as described, 0 deliberately different',
) {
  const { item, where, proof, differs } = { ...good, ...changes }
  const text = [
    `**${counts}.**`,
    '',
    '| item | where | proof | differs |',
    '| ---- | :---: | ----- | ------- |',
    `| ${item} | ${where} | ${proof} | ${differs} |`,
    '',
    '| other | table |',
    '| ----- | ----- |',
    '| not   | read  |',
    '',
    '- **D7** names are unique among active users',
  ].join('\n')
  const files = {
    'docs/specification.md': text,
    'server/src/app.ts': '',
    'web/src/main.tsx': '',
    'server/src/app.test.ts': tests,
  }
  return checkSpecification(new Repository(new Map(Object.entries(files))))
}
const different = '1 items: 0 as described, 1 deliberately different'

test('a table that is true passes', () => {
  expect(check()).toEqual([])
  for (const title of ["don't", 'of %s there', '$method is for'])
    expect(check({ proof: `\`server/src/app.test.ts\` “${title}”; ${good.proof}` })).toEqual([])
  for (const differs of ['D7: only active ones', 'Own: a dialog'])
    expect(check({ differs }, different)).toEqual([])
})

test.each([
  [{ item: '' }, 'a row is'],
  [{ item: 'One | two' }, 'a row is'],
  [{ where: 'in the server' }, 'says not where'],
  [{ where: '`server/src/gone.ts`' }, "server/src/gone.ts, which isn't there"],
  [{ proof: '' }, 'a proof is'],
  [{ proof: 'seen by eye' }, 'a proof is'],
  [{ proof: `${good.proof} and more` }, 'a proof is'],
  [{ proof: '`server/src/app.ts` “word”' }, 'no file of tests'],
  [{ proof: '`server/src/gone.test.ts` “word”' }, 'no file of tests'],
  [{ proof: '`server/src/app.test.ts` “a word is shown”' }, 'is called “a word is shown”'],
  [{ proof: '`server/src/app.test.ts` “1]”' }, 'is called'],
])('%o is found', (changes, problem) => {
  expect(check(changes).join()).toContain(problem)
})

test('a difference has a reason that is explained', () => {
  expect(check({ differs: 'because' }, different).join()).toContain('a difference begins with')
  expect(check({ differs: 'D8: closed' }, different).join()).toContain('D8 is not explained')
})

test('counts that do not count are found, and so is a missing table', () => {
  expect(check({}, '2 items: 2 as described, 0 deliberately different')).toHaveLength(1)
  expect(check({ differs: 'D7: so' })).toHaveLength(1)
  expect(checkSpecification(new Repository(new Map()))).toEqual(['docs/specification.md: is missing'])
})
