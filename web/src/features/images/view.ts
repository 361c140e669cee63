import { readAsin } from '@dealdeck/marketplace/asin'
import { type ImageSize, imageLink, imageSizes } from '@dealdeck/marketplace/image-links'

/** So many items one list takes. */
export const mostItems = 500

/** An item of a pasted list with the links of its picture, by size. `line` counts from 1. */
export type ListedItem = { line: number; asin: string; links: Record<ImageSize, string> }

/** A part of a pasted list that is no item, and why. */
type Refused = { line: number; text: string; reason: string }

export type ImageList = { items: ListedItem[]; refused: Refused[] }

/**
 * Reads a pasted list of items: one or several a line, as ASINs, ISBNs or product addresses, separated by commas,
 * semicolons, tabs or spaces. Each item is listed once; whatever is none is reported with its line.
 */
export function readImageList(text: string, domain: string): ImageList {
  const items = new Map<string, ListedItem>()
  const refused: Refused[] = []
  for (const [index, content] of text.split(/\r\n|[\r\n\u2028\u2029]/).entries()) {
    const line = index + 1
    for (const part of readLine(content)) {
      const read = readAsin(part)
      const refuse = (reason: string) => refused.push({ line, text: part, reason })
      if ('problem' in read) refuse(read.problem)
      else {
        const before = items.get(read.asin)
        if (before) refuse(`${read.asin} is already in line ${before.line}.`)
        else if (items.size >= mostItems) refuse(`A list takes ${mostItems} items; this one is beyond.`)
        else items.set(read.asin, { line, asin: read.asin, links: linksOf(read.asin, domain) })
      }
    }
  }
  return { items: [...items.values()], refused }
}

function linksOf(asin: string, domain: string): Record<ImageSize, string> {
  return {
    small: imageLink(asin, 'small', domain),
    standard: imageLink(asin, 'standard', domain),
    large: imageLink(asin, 'large', domain),
  }
}

const addressStart = /^(?:[a-z][a-z0-9+.-]*:)?\/\/|^(?:[\w-]+\.)+[a-z]{2,}(?:[/?#]|$)|^\//i
/** A comma inside an address separates only where another address or an ASIN follows; what may be an ISBN does behind a blank. */
const betweenAddresses =
  /[\s,;|]+(?=(?:https?:)?\/\/|www\.|amzn\.|a\.co\/|amazon\.|(?:B(?=[A-Z]*\d)[A-Z0-9]{9}|(?<=\s)(?:97[89]-?)?(?:\d-?){9}[\dX])(?![A-Z0-9-]))/i

function readLine(content: string): string[] {
  const line = content.trim()
  if (line === '') return []
  if (addressStart.test(line)) return partsOf(line, betweenAddresses)
  const parts = partsOf(line, /[,;|\t]+/).flatMap((part) => {
    const words = partsOf(part, /\s+/)
    // Words with an item among them belong to it; items in a row are each their own.
    return words.length > 1 && words.every((word) => addressStart.test(word) || isLikeItem(word))
      ? words
      : [part]
  })
  // Beside an item, words are its title: no attempt at another.
  const isMeant = (part: string) => addressStart.test(part) || isLikeItem(part) || 'asin' in readAsin(part)
  return parts.some((part) => 'asin' in readAsin(part)) ? parts.filter(isMeant) : parts
}

function partsOf(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** A word with a digit in it, of about the length of an item ID. */
function isLikeItem(word: string): boolean {
  return /^(?=\D*\d)[a-z0-9-]{7,17}$/i.test(word)
}

export const listFormats = ['text', 'markdown', 'html', 'csv'] as const
export type ListFormat = (typeof listFormats)[number]

const heads = ['ASIN', ...imageSizes.map(({ name }) => name)]

/** The links of a list as a table in one of the formats, its first row the names of the columns. */
export function writeImageList(items: readonly ListedItem[], format: ListFormat): string {
  return writeTable(
    [heads, ...items.map(({ asin, links }) => [asin, ...imageSizes.map(({ name }) => links[name])])],
    format,
  )
}

/** Rows as tab-separated text, a Markdown or HTML table, or CSV; whatever a cell holds stays text. */
export function writeTable(rows: readonly (readonly string[])[], format: ListFormat): string {
  switch (format) {
    case 'text':
      return lines(rows, (row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, ' ')).join('\t'))
    case 'csv':
      return lines(rows, (row) => row.map(csvCell).join(','), '\r\n')
    case 'markdown': {
      const written = rows.map((row) => `| ${row.map(markdownCell).join(' | ')} |`)
      const rule = `| ${(rows[0] ?? []).map(() => '---').join(' | ')} |`
      return `${written.toSpliced(1, 0, rule).join('\n')}\n`
    }
    default: {
      const [head = [], ...body] = rows.map((row) => row.map(escapeHtml))
      const cells = (row: string[], tag: string) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')
      return [
        '<table>',
        `  <thead><tr>${cells(head, 'th')}</tr></thead>`,
        '  <tbody>',
        ...body.map((row) => `    <tr>${cells(row, 'td')}</tr>`),
        '  </tbody>',
        '</table>\n',
      ].join('\n')
    }
  }
}

function lines(
  rows: readonly (readonly string[])[],
  write: (row: readonly string[]) => string,
  end = '\n',
): string {
  return rows.map((row) => write(row) + end).join('')
}

function csvCell(cell: string): string {
  // A spreadsheet would take such a cell for a formula.
  const text = /^[=+\-@\t\r\n\0＝＋－＠]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function markdownCell(cell: string): string {
  return escapeHtml(cell.replace(/[\r\n]+/g, ' ')).replace(/[\\|`*_[\]]/g, '\\$&')
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
