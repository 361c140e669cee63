import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shortClassNames } from './class-names.ts'

const folder = import.meta.dirname
const classes = globSync('src/**/*.module.css', { cwd: folder }).flatMap((file) => {
  const text = readFileSync(join(folder, file), 'utf8')
  return [...new Set(text.match(/(?<=\.)[a-z][\w-]*/gi))].map((name) => ({ name, file: join(folder, file) }))
})

test('each class of each module has a name of its own, whichever module is built first', () => {
  const [first, second] = [shortClassNames(folder), shortClassNames(folder)]
  const names = classes.map(({ name, file }) => first(name, file))
  expect(classes.length).toBeGreaterThan(900)
  expect(new Set(names).size).toBe(classes.length)
  for (const name of names) expect(name).toMatch(/^_[a-zA-Z]{3}[a-zA-Z0-9]{1,2}$/)
  const byFile = Object.values(Object.groupBy(classes, ({ file }) => file)).toReversed()
  const others = byFile.flatMap((ones = []) =>
    ones.map(({ name, file }) => [file + name, second(name, `${file}?used`)]),
  )
  expect(Object.fromEntries(others)).toEqual(
    Object.fromEntries(classes.map(({ name, file }, at) => [file + name, names[at]])),
  )
})

test('of many classes in one module none has the name of another', () => {
  const nameOf = shortClassNames(folder)
  const file = classes[0]?.file ?? ''
  const names = Array.from({ length: 5_000 }, (_, at) => nameOf(`class-${at}`, file))
  expect(new Set(names).size).toBe(names.length)
})

test('a module that the web app does not have is refused', () => {
  expect(() => shortClassNames(folder)('title', '/elsewhere/other.module.css')).toThrow('no CSS module')
})
