import { dirname, normalize } from 'node:path/posix'
import { codeOnly } from './code-only.ts'
import type { Repository } from './repository.ts'

const maxLines = 300
const maxDecisionLines = 50
const maxCommentLines = 3

/** Files and comments that grew too long. */
export function checkLengths(repository: Repository): string[] {
  const problems: string[] = []
  for (const path of repository.sources()) {
    const lines = linesOf(repository.text(path))
    if (lines.length > maxLines) problems.push(`${path}: ${lines.length} lines, at most ${maxLines}`)
    let run = 0
    for (const [index, line] of lines.entries()) {
      run = /^\s*(\/\/|--) /.test(line) ? run + 1 : 0
      if (run === maxCommentLines + 1) {
        problems.push(`${path}:${index + 1}: a comment longer than ${maxCommentLines} lines`)
      }
    }
  }
  const numbers = new Set<string>()
  for (const path of repository.decisions()) {
    const count = linesOf(repository.text(path)).length
    if (count > maxDecisionLines) problems.push(`${path}: ${count} lines, at most ${maxDecisionLines}`)
    const number = /\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]
    if (!number) problems.push(`${path}: a decision record is named 0001-what-was-decided.md`)
    else if (numbers.has(number)) problems.push(`${path}: number ${number} is taken`)
    else numbers.add(number)
  }
  return problems
}

/** Type assertions (`as`) without a comment beside them, on the same line or the one above. */
export function checkAssertions(repository: Repository): string[] {
  const problems: string[] = []
  for (const path of repository.modules()) {
    const lines = linesOf(repository.text(path))
    const code = linesOf(codeOnly(repository.text(path)))
    for (const [index, line] of code.entries()) {
      if (!isAssertion(line)) continue
      const above = lines[index - 1]?.trim() ?? ''
      if (/\/\/|\/\*/.test(line) || /^(\/\/|\*|\/\*|\{\/\*)/.test(above)) continue
      problems.push(`${path}:${index + 1}: 'as' without a reason in a comment beside it`)
    }
  }
  return problems
}

function isAssertion(code: string): boolean {
  // Renaming what is imported or exported.
  if (/^\s*(import|export) (type )?[{*]|^\s*(type )?\w+ as \w+,?$/.test(code)) return false
  // An expression before it, a type after it.
  return /[\w)\]}'"`>] as (?!const\b)([A-Z]\w|unknown|never|string|number|boolean|bigint|object|keyof|typeof|readonly|[{([])/.test(
    code,
  )
}

/** Things that must not be written anywhere: leftovers, and paths that exist on one machine only. */
export function checkWords(repository: Repository): string[] {
  const leftover = /\b(TODO|FIXME)\b/
  const machinePath = /(?<![\w.@:/-])\/(home|Users|root|work)\/[\w.-]/
  const problems: string[] = []
  for (const path of [...repository.sources(), ...repository.documents()]) {
    // The checks and their tests have to write these words down.
    if (path.startsWith('tools/structure/')) continue
    for (const [index, line] of linesOf(repository.text(path)).entries()) {
      const position = `${path}:${index + 1}`
      if (leftover.test(line)) problems.push(`${position}: an unfinished thing; finish it or leave it out`)
      if (machinePath.test(line)) problems.push(`${position}: a path that exists on one machine only`)
      if (leavesRepository(path, line)) problems.push(`${position}: a path outside the repository`)
    }
  }
  return problems
}

function leavesRepository(path: string, line: string): boolean {
  // A test may look for neighbours of the checkout and skip when they aren't there.
  if (/\.(test|spec)\.tsx?$/.test(path)) return false
  return [...line.matchAll(/['"`(](\.\.\/[\w./-]*)/g)].some((match) =>
    normalize(`${dirname(path)}/${match[1]}`).startsWith('../'),
  )
}

/** Decision records that their index doesn't list. */
export function checkDecisionIndex(repository: Repository): string[] {
  const index = 'docs/decisions.md'
  const listed = repository.has(index) ? repository.text(index) : ''
  const missing = repository.decisions().filter((path) => !listed.includes(`(${path.slice('docs/'.length)})`))
  return missing.map((path) => `${path}: ${index} doesn't list it`)
}

/** Documents that name files which aren't there. */
export function checkDocuments(repository: Repository): string[] {
  const problems: string[] = []
  for (const path of repository.documents()) {
    for (const [index, line] of linesOf(repository.text(path)).entries()) {
      const named = [
        ...line.matchAll(
          /`((?:server|web|contract|marketplace|query|e2e|bench|faults|tools|docs|deploy)\/[\w./@-]*)`/g,
        ),
      ]
      const linked = [...line.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      const missing = [
        ...named.map((match) => match[1] ?? ''),
        ...linked.map((match) => normalize(`${dirname(path)}/${match[1]}`)),
      ].filter((target) => !repository.has(target.replace(/\/$/, '')))
      for (const target of missing)
        problems.push(`${path}:${index + 1}: names ${target}, which doesn't exist`)
    }
  }
  return problems
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}
