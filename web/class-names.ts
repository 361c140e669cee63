import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { relative } from 'node:path'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const signs = `${letters}0123456789`

/**
 * Names for the classes of a build's CSS modules: three letters for the module and a number among its classes, in the order in which they
 * are first met in it. The usual ones with a hash are a tenth of the sheet that every first visit waits for. Two builds of the same sources
 * agree on them, as the program and what is drawn of it in advance must, and other modules don't change them, so that browsers keep the
 * files that are as they were. The underscore keeps them apart from the names of libraries. `folder` is the web app's.
 */
export function shortClassNames(folder: string): (name: string, file: string) => string {
  const prefixes = prefixesOf(globSync('src/**/*.module.css', { cwd: folder }).toSorted())
  const known = new Map<string, string[]>()
  return (name, file) => {
    const path = relative(folder, file.split('?')[0] ?? '')
    const prefix = prefixes.get(path)
    if (prefix === undefined) throw new Error(`${path} is no CSS module of the web app`)
    const names = known.get(path) ?? []
    known.set(path, names)
    if (!names.includes(name)) names.push(name)
    return `_${prefix}${numbered(names.indexOf(name))}`
  }
}

/** Three letters for each of the files, by their paths alone unless two come to the same. */
function prefixesOf(files: readonly string[]): Map<string, string> {
  const taken = new Set<string>()
  return new Map(
    files.map((file) => {
      let number = createHash('sha256').update(file.replaceAll('\\', '/')).digest().readUInt32BE()
      while (taken.has(lettered(number))) number += 1
      taken.add(lettered(number))
      return [file, lettered(number)]
    }),
  )
}

function lettered(number: number): string {
  return [1, 52, 52 ** 2].map((unit) => letters[Math.floor(number / unit) % 52]).join('')
}

function numbered(number: number): string {
  const rest = Math.floor(number / signs.length)
  return `${rest > 0 ? numbered(rest - 1) : ''}${signs[number % signs.length]}`
}
