import { AppError } from '../../../platform/errors.ts'
import { isObject } from './raw-row.ts'
import { each, type RowsForm, type Step } from './row-location.ts'
import { Shapes } from './shapes.ts'

/** A list of objects in a JSON document: its path, such as `$.deals.dr`, and how many objects stand there and are products. */
export type JsonList = { path: string; rows: number; products: number }

/** Lists lie in few containers; deeper ones belong to a product. */
const deepest = 6
/** So many elements of a list show what it holds. */
const looked = 200
const longestPath = 300
const mostNamed = 10

const step = /\.?([^.[\]'"\s][^.[\]'"]*)|\[\s*(?:\*|'([^']*)'|"([^"]*)")\s*\]/y

/**
 * The steps of a path such as `$.deals.dr`, `$['deal list']` or `$.pages[*].items`; `$` is the document itself. Throws
 * INVALID_INPUT, of the field `list_path`, for what is none.
 */
export function parseListPath(path: string): Step[] {
  const text = path.trim().replace(/^\$/, '')
  if (path.length > longestPath) throw invalid(`A path has at most ${longestPath} characters.`)
  const steps: Step[] = []
  step.lastIndex = 0
  for (let at = 0; at < text.length; at = step.lastIndex) {
    const found = step.exec(text)
    if (!found) throw invalid(`'${path.slice(0, 80)}' is no path of a list. Write it as $.deals.items.`)
    steps.push(found[1]?.trim() ?? found[2] ?? found[3] ?? each)
  }
  return steps
}

/** How a path is written. */
export function writeListPath(steps: readonly Step[]): string {
  const written = steps.map((name) =>
    name === each ? '[*]' : /^[^.[\]'"\s]+$/.test(name) ? `.${name}` : `['${name.replaceAll("'", '')}']`,
  )
  return `$${written.join('')}`
}

/** All lists of objects in a document, but for those inside of products, as they stand there. */
export function listsOf(document: unknown): JsonList[] {
  const shapes = new Shapes()
  const found = new Map<string, JsonList>()
  const look = (value: unknown, path: readonly Step[]): void => {
    if (path.length > deepest) return
    if (Array.isArray(value)) {
      const objects = value.filter(isObject)
      const products = objects.slice(0, looked).filter((object) => shapes.isRow(object)).length
      if (objects.length > 0) add(found, path, objects.length, products)
      if (products === 0) for (const element of value.slice(0, looked)) look(element, [...path, each])
    } else if (isObject(value) && !shapes.isRow(value))
      for (const [key, inner] of Object.entries(value)) look(inner, [...path, key])
  }
  look(document, [])
  return [...found.values()]
}

function add(found: Map<string, JsonList>, steps: readonly Step[], rows: number, products: number): void {
  const path = writeListPath(steps)
  const known = found.get(path)
  if (known) {
    known.rows += rows
    known.products += products
  } else found.set(path, { path, rows, products })
}

/**
 * How rows stand at a place of a document of which the beginning is given, all of it where it `isWhole`: undefined as long as
 * that doesn't show. Throws INVALID_INPUT where something else stands there, naming the lists that there are.
 */
export function formAt(
  beginning: unknown,
  path: readonly Step[],
  { isEnough, isWhole }: { isEnough: boolean; isWhole: boolean },
): RowsForm | undefined {
  // What is no JSON at all is said by whoever reads it.
  if (beginning === undefined) return isEnough ? {} : undefined
  const value = valueAt(beginning, path)
  if (Array.isArray(value)) return {}
  if (isObject(value)) {
    const rows = new Shapes().bestOf(value)
    if (rows?.path.length === 0 && rows.form?.isKeyed) return rows.form
    if (!isEnough) return undefined
  }
  if (value !== undefined || isWhole)
    throw noSuchList(
      path,
      listsOf(beginning).map((list) => list.path),
    )
  return undefined
}

function valueAt(document: unknown, path: readonly Step[]): unknown {
  let value = document
  for (const name of path) {
    if (name === each) value = Array.isArray(value) ? value[0] : undefined
    else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

/** A list was named that isn't there; these are. */
export function noSuchList(path: readonly Step[], lists: readonly string[]): AppError {
  const named = lists.slice(0, mostNamed).join(', ')
  const others = named === '' ? 'There is no list of objects in it.' : `Lists are ${named}.`
  return invalid(`There is no list at ${writeListPath(path)}. ${others} Nothing was imported.`)
}

function invalid(message: string): AppError {
  return new AppError('INVALID_INPUT', message, { fields: { list_path: message } })
}
