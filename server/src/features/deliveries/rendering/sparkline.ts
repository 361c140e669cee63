const blocks = '▁▂▃▄▅▆▇█'
/** The box that paths are drawn in, and the columns that it has. */
const [width, height, columns] = [90, 24, 22]

/**
 * A path of prices, steps in a box of 90 by 24, as one line of block characters, the newest at the right; `·` where nothing is known
 * in between. Null where there is nothing to compare.
 */
export function blocksOf(path: string): string | null {
  const levels: (number | null)[] = Array.from({ length: columns }, () => null)
  let [x, y] = [0, 0]
  for (const [, command, first = '', second] of path.matchAll(/([MHV])(\d+)(?: (\d+))?/g)) {
    const value = Number(first)
    if (command === 'M') [x, y] = [value, Number(second)]
    else if (command === 'V') y = value
    else {
      for (let at = columnAt(x); at < columnAt(value); at += 1) levels[at] = y
      x = value
    }
  }
  const line = levels.map((level) => (level === null ? '·' : (blocks[blockOf(level)] ?? '·'))).join('')
  const drawn = line.replace(/^·+|·+$/g, '')
  return drawn.length > 1 ? drawn : null
}

const columnAt = (x: number) => Math.min(columns, Math.round((x * columns) / width))
const blockOf = (level: number) => Math.round(((height - level) / height) * (blocks.length - 1))
