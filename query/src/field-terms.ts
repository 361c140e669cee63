import {
  type ChoiceField,
  choicesOf,
  declarationOf,
  type FieldName,
  fieldNames,
  fields,
  type NameField,
  type NumberField,
} from './fields.ts'
import type { FieldCondition, NameTest } from './question.ts'
import { listedValues, tidyText, unquoted } from './quoting.ts'
import { isRefused, type Refused, readComparison, readDurationTest, writeComparison } from './values.ts'

/** Why a value is left out, or how it is read where it can be read in two ways; `nearest` could stand behind the colon instead. */
type ValueProblem = { severity: 'error' | 'notice'; message: string; nearest: string }
type Read = { condition: FieldCondition | null; problems: ValueProblem[] }

const byName = new Map<string, FieldName | 'sort'>([['sort', 'sort']])
for (const name of fieldNames)
  for (const called of [name, ...declarationOf(name).aliases]) byName.set(called, name)

/** The field of a name or alias, in any case. */
export function fieldCalled(typed: string): FieldName | 'sort' | undefined {
  return byName.get(typed.toLowerCase())
}

/** The field whose name or alias is a letter or two away from what was typed, or begins with it. */
export function nearestField(typed: string): FieldName | 'sort' | undefined {
  const text = typed.toLowerCase()
  if (text.length < 3 || text.length > 12) return undefined
  let nearest: [number, string | undefined] = [Math.ceil(text.length / 4) + 1, undefined]
  for (const name of byName.keys()) {
    const distance = name.startsWith(text) ? 1 : distanceBetween(text, name)
    if (distance < nearest[0]) nearest = [distance, name]
  }
  return fieldCalled(nearest[1] ?? '')
}

/** How many letters have to be put in, taken out or changed. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let to = 0; to < other.length; to++) {
      const changed = (row[to] ?? 0) + (other[to] === letter ? 0 : 1)
      next.push(Math.min(changed, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** What the text behind a field's colon asks for. */
export function readField(name: FieldName, typed: string, isAdministrator: boolean): Read {
  const declaration = fields[name]
  // Of a name width is part of what was typed; numbers are often typed with signs of full width.
  const raw = declaration.type === 'name' ? typed : typed.normalize('NFKC')
  switch (declaration.type) {
    case 'number': {
      // The declaration is of this type, so its name is one of these.
      const field = name as NumberField
      const { parts, notice } = numberParts(field, raw)
      const read = collected(
        name,
        parts,
        (part) => readComparison(field, part),
        (tests) => ({ kind: 'number', field, tests }),
      )
      return notice ? { ...read, problems: [notice] } : read
    }
    case 'duration': {
      // The declaration is of this type, so its name is one of these.
      const field = name as Extract<FieldCondition, { kind: 'duration' }>['field']
      const read = (part: string) => {
        const test = readDurationTest(part, declaration.example)
        return 'op' in test && test.op === 'today' && declaration.lies === 'ahead'
          ? { needs: 'a duration', nearest: declaration.example }
          : test
      }
      return collected(name, commaParts(raw), read, (tests) => ({ kind: 'duration', field, tests }))
    }
    case 'name':
      // As above.
      return readNames(name as NameField, raw)
    case 'code': {
      const read = (part: string): string | Refused =>
        /^[A-Z0-9]{1,10}$/i.test(part)
          ? part.toUpperCase()
          : {
              needs: 'up to ten letters and digits',
              nearest: part.replace(/[^a-z0-9]/gi, '').slice(0, 10) || declaration.example,
            }
      return collected(name, commaParts(raw), read, (tests) => ({ kind: 'code', field: 'asin', tests }))
    }
    case 'choice':
      // As above.
      return readChoices(name as ChoiceField, raw, isAdministrator)
  }
}

const commaParts = (raw: string): string[] => {
  const parts = raw.split(',').filter((part) => part !== '')
  return parts.length > 0 ? parts : ['']
}

/**
 * What stands between the commas of a number's value, all of it where they are part of a number (`<9,99`); and how it is read
 * if it could have been meant otherwise. With a sign before each value a list is nothing else.
 */
function numberParts(field: NumberField, raw: string): { parts: string[]; notice?: ValueProblem } {
  const parts = commaParts(raw)
  const whole = readComparison(field, raw)
  if (!/,\d/.test(raw) || isRefused(whole)) return { parts }
  const declaration = fields[field]
  const least = 'leastDecimals' in declaration ? declaration.leastDecimals : undefined
  const decimals = [...raw.matchAll(/,(\d{1,2})(?!\d)/g)].map(([, digits = '']) => digits.length)
  const isOne = least !== undefined && decimals.every((length) => length >= least)
  const hasThousands = /(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)/.test(raw)
  const tests = parts.flatMap((part) => {
    const test = readComparison(field, part)
    return isRefused(test) ? [] : [test]
  })
  const hasPoint = /\.\d+,|,\d+\.\d/.test(raw)
  const isClear = hasPoint || tests.length < parts.length || !(isOne || hasThousands)
  const asOne = writeComparison(whole, String)
  const asList = tests.map((test) => writeComparison(test, String)).join(',')
  const [meant, other] = isOne ? [asOne, asList] : [asList, asOne]
  const message = `'${field}:${raw}' is read as ${field}:${meant}; its other meaning is written ${field}:${other}`
  const found = isOne ? [raw] : parts
  return isClear
    ? { parts: found }
    : { parts: found, notice: { severity: 'notice', message, nearest: other } }
}

function collected<Test>(
  name: FieldName,
  parts: readonly string[],
  read: (part: string) => Test | Refused,
  made: (tests: Test[]) => FieldCondition,
): Read {
  const tests: Test[] = []
  const refused = new Map<string, Refused>()
  for (const part of parts) {
    const test = read(part)
    if (isRefused(test)) refused.set(part, test)
    else tests.push(test)
  }
  const nearest = [...new Set(parts.map((part) => refused.get(part)?.nearest ?? part))].join(',')
  return {
    condition: tests.length > 0 ? made(tests) : null,
    problems: [...refused].map(([part, why]) => ({ ...refusal(name, part, why), nearest })),
  }
}

function refusal(name: FieldName, part: string, { needs, nearest }: Refused): ValueProblem {
  const message = `'${name}:${part}' needs ${needs}, e.g. ${name}:${nearest}`
  return { severity: 'error', message, nearest }
}

function readNames(field: NameField, raw: string): Read {
  const tests = listedValues(raw).flatMap(({ start, phraseEnd, end }): NameTest[] => {
    const op = raw[start] === '=' ? 'is' : 'has'
    const first = op === 'is' ? start + 1 : start
    const phrase = phraseEnd === null ? '' : unquoted(raw.slice(first + 1, phraseEnd))
    const text = tidyText(phrase + raw.slice(phraseEnd === null ? first : phraseEnd + 1, end))
    return text === '' ? [] : [{ op, text }]
  })
  const { example } = fields[field]
  if (tests.length > 0) return { condition: { kind: 'name', field, tests }, problems: [] }
  return { condition: null, problems: [refusal(field, raw, { needs: 'a text', nearest: example })] }
}

function readChoices(field: ChoiceField, raw: string, isAdministrator: boolean): Read {
  const choices = Object.entries(choicesOf(field)).flatMap(([name, choice]) =>
    choice ? [{ name, ...choice }] : [],
  )
  const open = choices.filter(({ forAdministrators }) => isAdministrator || !forAdministrators)
  const read = (part: string): string | Refused => {
    const typed = part.toLowerCase()
    const found = choices.find(({ name, aliases }) => name === typed || aliases.includes(typed))
    if (found && open.includes(found)) return found.name
    const nearest =
      (typed !== '' &&
        open.find(({ name, aliases }) => [name, ...aliases].some((one) => one.startsWith(typed)))) ||
      open[0]
    const needs = open.length > 1 ? `one of ${open.map(({ name }) => name).join(', ')}` : `'${open[0]?.name}'`
    return { needs: found ? 'the rights of an administrator' : needs, nearest: nearest?.name ?? '' }
  }
  return collected(field, commaParts(raw), read, (tests) => ({ kind: 'choice', field, tests }))
}
