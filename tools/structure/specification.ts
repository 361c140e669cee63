import type { Repository } from './repository.ts'

const document = 'docs/specification.md'

/**
 * What docs/specification.md claims and the repository doesn't bear out: files that aren't there, proofs that no test
 * carries in its title, differences without a reason, and counts that don't count.
 */
export function checkSpecification(repository: Repository): string[] {
  if (!repository.has(document)) return [`${document}: is missing`]
  const lines = repository.text(document).split('\n')
  const decisions = new Set(lines.flatMap((line) => /^- \*\*(D\d+)\*\* \S/.exec(line)?.[1] ?? []))
  const rows = readRows(lines)
  const problems = rows.flatMap(({ at, cells }) => {
    const [item = '', where = '', proof = '', differs = ''] = cells
    return [
      ...(cells.length === 4 && item !== '' ? [] : ['a row is: item, where, proof, differs']),
      ...checkPlaces(where, repository),
      ...checkProofs(proof, repository),
      ...checkDifference(differs, decisions),
    ].map((problem) => `${document}:${at}: ${problem}`)
  })
  const different = rows.filter(({ cells }) => (cells[3] ?? '') !== '').length
  const counts = `**${rows.length} items: ${rows.length - different} as described, ${different} deliberately different.**`
  if (!lines.includes(counts)) problems.push(`${document}: the counts at the top are: ${counts}`)
  return problems
}

type Row = { at: number; cells: string[] }

/** The rows of every table that begins with 'item', with the line each stands in. */
function readRows(lines: readonly string[]): Row[] {
  const rows: Row[] = []
  let isTable = false
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('|')) {
      isTable = false
      continue
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    if (cells[0] === 'item') isTable = true
    else if (isTable && !/^[-:]+$/.test(cells[0] ?? '')) rows.push({ at: index + 1, cells })
  }
  return rows
}

function checkPlaces(where: string, repository: Repository): string[] {
  const paths = [...where.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
  if (paths.length === 0) return ['says not where']
  return paths
    .filter((path) => !repository.has(path.replace(/\/$/, '')))
    .map((path) => `names ${path}, which isn't there`)
}

function checkProofs(proof: string, repository: Repository): string[] {
  const proofs = [...proof.matchAll(/`([^`]+)` “([^”]+)”/g)]
  const rest = proof.replace(/`[^`]+` “[^”]+”/g, '').replace(/[;\s]/g, '')
  if (proofs.length === 0 || rest !== '')
    return ['a proof is: `file` “part of a title”, several with ; between']
  return proofs.flatMap(([, path = '', title = '']) => {
    if (!/\.(test|spec)\.tsx?$/.test(path) || !repository.has(path)) return [`${path} is no file of tests`]
    const isCarried = titlesOf(repository.text(path)).some((other) => other.includes(title))
    return isCarried ? [] : [`no test of ${path} is called “${title}”`]
  })
}

function checkDifference(differs: string, decisions: ReadonlySet<string>): string[] {
  if (differs === '' || /^Own: \S/.test(differs)) return []
  const number = /^(D\d+): \S/.exec(differs)?.[1]
  if (number === undefined) return ["a difference begins with 'D' and its number, or with 'Own:'"]
  return decisions.has(number) ? [] : [`${number} is not explained at the end`]
}

const text = String.raw`\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|${'`'}((?:\\.|[^${'`'}\\])*)${'`'})`
/** `test('…'`, `test.describe('…'`, and the second call of `test.each(…)('…'`. */
const titled = new RegExp(String.raw`(?:\b(?:test|it|describe)(?:\.\w+)*\(|\)\()${text}`, 'g')

function titlesOf(code: string): string[] {
  return [...code.matchAll(titled)].map(([, one, two, three]) =>
    (one ?? two ?? three ?? '').replace(/\\(.)/g, '$1'),
  )
}
