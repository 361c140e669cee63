import { advisoryLocks } from '../../server/src/platform/database/lock-register.ts'
import type { Repository } from './repository.ts'

type Register = Readonly<Record<string, { key: number; takenBy: readonly string[] }>>

const folder = 'server/src/platform/database/'
const pinned = [`${folder}lock-register.ts`, `${folder}lock-register.test.ts`]
const taking = `${folder}advisory-locks.ts`

/** Advisory locks beside the register: numbers written down elsewhere, other ways to take one, takers it doesn't name. */
export function checkLocks(repository: Repository, register: Register = advisoryLocks): string[] {
  const problems: string[] = []
  const keys = new Set(Object.values(register).map(({ key }) => key))
  const takers = new Map(Object.keys(register).map((lock) => [lock, new Set<string>()]))
  for (const path of [
    ...repository.modules(),
    ...repository.paths().filter((path) => path.endsWith('.sql')),
  ]) {
    if (pinned.includes(path) || path.startsWith('tools/structure/')) continue
    const text = repository.text(path)
    const isProduct = path.startsWith('server/') && !/\.test\.|\/testing\//.test(path)
    if (/pg_\w*advisory_\w+\(\s*\d/.test(text) || numbersIn(text).some((number) => keys.has(number)))
      problems.push(`${path}: the number of an advisory lock; it stands in ${pinned[0]} alone`)
    if (isProduct && path !== taking && /pg_\w*advisory_\w*lock/.test(text))
      problems.push(`${path}: an advisory lock is taken by takeLock of ${taking}`)
    if (isProduct && path !== taking)
      for (const [, lock = ''] of text.matchAll(/\btakeLock\([^'"]*['"](\w+)['"]/g))
        takers.get(lock)?.add(path)
  }
  for (const [lock, { takenBy }] of Object.entries(register)) {
    const found = [...(takers.get(lock) ?? [])].toSorted()
    if (found.join() !== takenBy.toSorted().join())
      problems.push(`${pinned[0]}: the lock ${lock} is taken by ${found.join(', ') || 'nobody'}`)
  }
  return problems
}

/** The numbers of seven digits and more in a text. */
function numbersIn(text: string): number[] {
  return [...text.matchAll(/\b\d[\d_]{6,}\b/g)].map(([digits]) => Number(digits.replaceAll('_', '')))
}
