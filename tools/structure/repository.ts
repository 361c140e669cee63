import { readdirSync, readFileSync } from 'node:fs'

const notOurs = new Set([
  'node_modules',
  'dist',
  '.git',
  '.cache',
  'data',
  'test-results',
  'playwright-report',
  'results',
])

/** The files of a checkout by path, with `/` between folders, and what the checks ask about them. */
export class Repository {
  readonly #texts: ReadonlyMap<string, string>

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts
  }

  /** Reads a checkout, without what is installed or generated. */
  static read(root: string): Repository {
    const texts = new Map<string, string>()
    const walk = (folder: string) => {
      for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
        if (notOurs.has(entry.name)) continue
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (entry.isDirectory()) walk(path)
        else if (
          /\.(tsx?|jsx?|css|sql|md|html|json|png|svg|sh|conf|cfg|ya?ml|service|timer)$|^[^.]+$/.test(
            entry.name,
          )
        ) {
          texts.set(path, /\.(png|svg)$/.test(path) ? '' : readFileSync(`${root}/${path}`, 'utf8'))
        }
      }
    }
    walk('')
    return new Repository(texts)
  }

  text(path: string): string {
    return this.#texts.get(path) ?? ''
  }

  /** Whether a file or a folder is there. */
  has(path: string): boolean {
    return this.#texts.has(path) || this.paths().some((other) => other.startsWith(`${path}/`))
  }

  paths(): string[] {
    return [...this.#texts.keys()]
  }

  /** Files people write code in. */
  sources(): string[] {
    return this.paths().filter((path) => /\.(tsx?|jsx?|css|sql)$/.test(path))
  }

  /** TypeScript files. */
  modules(): string[] {
    return this.paths().filter((path) => /\.tsx?$/.test(path))
  }

  documents(): string[] {
    return this.paths().filter((path) => path.endsWith('.md'))
  }

  decisions(): string[] {
    return this.documents().filter((path) => path.startsWith('docs/decisions/'))
  }

  /** Places that decision records open with a line such as 'Allows: `server/src/features/ingest/reading/*.ts`'. */
  allowances(): RegExp[] {
    return this.decisions().flatMap((path) =>
      [...this.text(path).matchAll(/^Allows: `([^`]+)`$/gm)].map((match) => globToRegExp(match[1] ?? '')),
    )
  }
}

/** `*` stands for anything within one folder. */
function globToRegExp(glob: string): RegExp {
  const escaped = glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${escaped}$`)
}
