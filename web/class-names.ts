import { globSync } from 'node:fs'
import { relative } from 'node:path'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const signs = `${letters}0123456789`

/**
 * Names for the classes of a build's CSS modules: which module it is, in two letters, and which of its classes, since the usual ones with
 * a hash are an eighth of the sheet that every first visit waits for. Two builds of the same sources agree on them, as the program and
 * what is drawn of it in advance must. The underscore keeps them apart from the names of libraries.
 */
export function shortClassNames(folder: string): (name: string, file: string) => string {
  const files = globSync('src/**/*.module.css', { cwd: folder }).toSorted()
  const known = new Map<string, string[]>()
  return (name, file) => {
    const path = relative(folder, file.split('?')[0] ?? '')
    const at = files.indexOf(path)
    if (at < 0) throw new Error(`${path} is no CSS module of the web app`)
    const names = known.get(path) ?? []
    known.set(path, names)
    if (!names.includes(name)) names.push(name)
    return `_${letters[Math.floor(at / letters.length)]}${letters[at % letters.length]}${short(names.indexOf(name))}`
  }
}

function short(number: number): string {
  const rest = Math.floor(number / signs.length)
  return `${rest > 0 ? short(rest - 1) : ''}${signs[number % signs.length]}`
}
