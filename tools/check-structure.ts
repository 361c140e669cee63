import { fileURLToPath } from 'node:url'
import { checkDealWrites } from './structure/deal-writes.ts'
import { checkImports } from './structure/imports.ts'
import { checkLocks } from './structure/locks.ts'
import { Repository } from './structure/repository.ts'
import { checkSpecification } from './structure/specification.ts'
import {
  checkAssertions,
  checkDecisionIndex,
  checkDocuments,
  checkLengths,
  checkWords,
} from './structure/texts.ts'
import { checkVocabulary } from './structure/vocabulary.ts'

// What the linter can't say: which files may exist, who may import whom, and that documents keep true.
const repository = Repository.read(fileURLToPath(new URL('..', import.meta.url)))
const problems = [
  checkVocabulary,
  checkImports,
  checkDealWrites,
  checkLocks,
  checkLengths,
  checkAssertions,
  checkWords,
  checkDocuments,
  checkDecisionIndex,
  checkSpecification,
].flatMap((check) => check(repository))

for (const problem of problems) console.log(problem)
console.log(
  problems.length === 0
    ? `Structure: ${repository.sources().length} files, as drawn.`
    : `Structure: ${problems.length} problems.`,
)
process.exitCode = problems.length === 0 ? 0 : 1
