import { foldText, plainTitle } from '@dealdeck/query/folding'
import { formsOf } from '@dealdeck/query/inflecting'
import type { Moment } from '@dealdeck/query/matching'
import type { Condition, FieldCondition } from '@dealdeck/query/question'
import { columnTest, rowTest } from './column-tests.ts'
import type { DealColumns } from './deal-columns.ts'
import { byAll, byAny, byColumn, byOpposite, type Narrowing } from './narrowing.ts'
import type { RowTest } from './row-bits.ts'
import type { TimeLimit } from './time-limit.ts'
import type { TextTerm, TitleIndex, WordSet } from './title-index.ts'

/** A condition over rows, lists of words, as every deal that meets it has one of each list, and what columns say of it. */
export type RowCondition = { test: RowTest; words: WordSet[][]; narrowing?: Narrowing | undefined }

/** What conditions are compiled for, in the time that there is. */
export type Indexed = { columns: DealColumns; titles: TitleIndex; limit: TimeLimit }

/**
 * A condition as a test of rows: which words, names and choices meet it is found once, not in each deal. Throws TooLongError.
 */
export function compileCondition(condition: Condition, moment: Moment, indexed: Indexed): RowCondition {
  const compile = (one: Condition): RowCondition => {
    switch (one.kind) {
      case 'text':
        return one.inflects ? compileWord(one.text, indexed) : compileText(one.text, indexed)
      case 'all': {
        const all = one.of.map(compile)
        const tests = all.map(({ test }) => test)
        return {
          test: (row) => {
            for (const test of tests) if (!test(row)) return false
            return true
          },
          words: all.flatMap(({ words }) => words),
          narrowing: byAll(all.map(({ narrowing }) => narrowing)),
        }
      }
      case 'any':
        return anyOf(one.of.map(compile), indexed.titles)
      case 'not': {
        const { test, narrowing } = compile(one.of)
        return { test: (row) => !test(row), words: [], narrowing: byOpposite(narrowing) }
      }
      default: {
        indexed.limit.check()
        const test = columnTest(one, moment, indexed.columns)
        return test
          ? { test: rowTest(test), words: [], narrowing: byColumn(test) }
          : compileTitle(one, indexed)
      }
    }
  }
  return compile(condition)
}

function anyOf(some: readonly RowCondition[], titles: TitleIndex): RowCondition {
  const tests = some.map(({ test }) => test)
  return {
    test: (row) => {
      for (const test of tests) if (test(row)) return true
      return false
    },
    words: oneOfEach(some, titles),
    narrowing: byAny(some.map(({ narrowing }) => narrowing)),
  }
}

/** Titles that hold a text, as questions compare them. */
function compileText(text: string, { titles }: Indexed): RowCondition {
  return holding(titles.term(plainTitle(text)), titles)
}

/** Titles that hold a word, or another form of it. */
function compileWord(text: string, indexed: Indexed): RowCondition {
  const { titles } = indexed
  const forms = formsOf(text).map((form) => holding(titles.wholeWord(form), titles))
  return anyOf([compileText(text, indexed), ...forms], titles)
}

function holding(term: TextTerm, titles: TitleIndex): RowCondition {
  return {
    test: (row) => titles.holds(row, term),
    words: term.flatMap((set) => (set ? [[set]] : [])),
  }
}

/** Titles that hold a text as it stands, but for its case: with these very accents, quotes and dashes. */
export function compileExactText(text: string, indexed: Indexed): RowCondition {
  const { test, words } = compileText(text, indexed)
  const folded = foldText(text)
  return { test: (row) => test(row) && indexed.titles.holdsExactly(row, folded), words }
}

/** The words of which every deal has one that meets any of these conditions, as a list; none where one of them has none. */
function oneOfEach(conditions: readonly RowCondition[], titles: TitleIndex): WordSet[][] {
  const lists = conditions.map(({ words }) => rarest(words, titles))
  return lists.every((list) => list !== undefined) ? [lists.flat()] : []
}

/** Of several lists of words the one that fewest rows have. */
export function rarest(lists: readonly WordSet[][], titles: TitleIndex): WordSet[] | undefined {
  let [found, least]: [WordSet[] | undefined, number] = [undefined, Infinity]
  for (const words of lists) {
    const count = countRows(words, titles)
    if (count < least) [found, least] = [words, count]
  }
  return found
}

export function countRows(words: readonly WordSet[], titles: TitleIndex): number {
  return words.reduce((sum, set) => sum + titles.countRows(set), 0)
}

function compileTitle(condition: FieldCondition, indexed: Indexed): RowCondition {
  const { titles } = indexed
  if (condition.kind !== 'name') throw new Error('Only titles are in no column')
  const some = condition.tests.map(({ op, text }): RowCondition => {
    if (op === 'has') return compileText(text, indexed)
    const folded = plainTitle(text)
    const { test, words } = holding(titles.wholeTitle(folded), titles)
    return { test: (row) => test(row) && titles.titleOf(row) === folded, words }
  })
  return anyOf(some, titles)
}
