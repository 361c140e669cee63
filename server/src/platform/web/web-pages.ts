import { existsSync, readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { sessionAddress, settingsAddress } from './preloaded-responses.ts'

/** What stands around a page's answers; the web app finds them by this id. */
const answersId = 'preloaded-responses'
/** What all screens have in common, by the name the build gives that file (web/chunks.ts). */
const screensName = 'screens'

const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    name: z.string().optional(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
)
type Manifest = z.infer<typeof manifestSchema>
/** What the build has drawn: the login screen, a deal's and, by its path, what is shown for each other screen until it is there. */
const shellsSchema = z.record(z.string(), z.string())

type Build = { html: string; manifest: Manifest; shells: Record<string, string> }

/** What a page is to hold beside the program. Without answers nobody knows yet who asks for it. */
export type PageContent = {
  path: string
  /** The source of the path's own screen, when there is one. */
  source: string | undefined
  /** Bodies the API answered with, as JSON, by address; of the session 'null' when there is none. */
  answers: ReadonlyMap<string, string> | undefined
  /** A picture to be fetched along with the program. */
  picture: string | undefined
  /** The title of the deal that it is about, when there is one. */
  title: string | undefined
}

/** The built web app's page, made for whoever asks. Built anew meanwhile, it is read anew. */
export class WebPages {
  readonly #folder: string
  #known: { time: number; build: Build } | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Whether there is a build to make pages of. */
  get isBuilt(): boolean {
    return existsSync(`${this.#folder}index.html`)
  }

  /** The page as HTML. */
  make({ path, source, answers, picture, title }: PageContent): string {
    const { html, manifest, shells } = this.#read()
    if (answers === undefined) return html
    const isLogin = answers.get(sessionAddress) === 'null'
    const { scripts, sheets } = isLogin ? { scripts: [], sheets: [] } : partsOf(manifest, source)
    const image =
      isLogin || picture === undefined
        ? ''
        : `<link rel="preload" as="image" href="${quoted(picture)}" fetchpriority="high" referrerpolicy="no-referrer">`
    const head = [...sheets.map((file) => `<link rel="stylesheet" href="/${file}" crossorigin>`), image].join(
      '',
    )
    const preloads = scripts.map(
      (file) => `<link rel="modulepreload" href="/${file}" crossorigin fetchpriority="low">`,
    )
    const { marketplace, signup_mode } = settingsOf(answers)
    const login = signup_mode === 'closed' ? shells['login closed'] : shells.login
    const drawn = isLogin ? login : (shells[title === undefined ? path : 'deal'] ?? shells['*'])
    const words: Record<string, unknown> = { marketplace, picture, title }
    const pictured = picture === undefined ? drawn?.replace(/<img[^>]*"{picture}"[^>]*>/, '') : drawn
    // In one go: a title with braces is nothing but a title.
    const shell = pictured?.replace(/{(\w+)}/g, (braces, name) =>
      Object.hasOwn(words, name) ? quoted(String(words[name] ?? '')) : braces,
    )
    const holds = isLogin && shell !== undefined ? ' data-holds="login"' : ''
    const root = shell === undefined ? undefined : `<div id="root"${holds}>${shell}</div>`
    // What is drawn already needs its sheets; what only says that it is loading needn't wait for them.
    const own = shell === undefined ? [] : (html.match(/<link rel="stylesheet"[^>]*>/g) ?? [])
    // A deal's title and picture are what its reader came for: its program waits until they are painted (`web/public/before-paint.js`).
    const waits = title !== undefined
    const program = waits ? (html.match(/<script type="module"[^>]*><\/script>/)?.[0] ?? '') : ''
    const parts = preloads.join('') + program
    return [...own, program]
      .reduce((text, part) => text.replace(part, ''), html)
      .replace('</head>', () => {
        return `${own.join('')}${head}${waits ? `<template id="after-paint">${parts}</template>` : parts}</head>`
      })
      .replace(/<div id="root">.*?<\/div>/s, (loading) => root ?? loading)
      .replace('</body>', () => `${answersElement(answers)}</body>`)
  }

  #read(): Build {
    const time = statSync(`${this.#folder}index.html`).mtimeMs
    if (this.#known?.time !== time) {
      const text = (name: string) =>
        existsSync(this.#folder + name) ? readFileSync(this.#folder + name, 'utf8') : '{}'
      const build = {
        html: text('index.html'),
        manifest: manifestSchema.parse(JSON.parse(text('.vite/manifest.json'))),
        shells: shellsSchema.parse(JSON.parse(text('.vite/prerendered-shells.json'))),
      }
      this.#known = { time, build }
    }
    return this.#known.build
  }
}

/** All that the screens and that of `source` need beyond what the page loads anyway. */
function partsOf(manifest: Manifest, source: string | undefined): { scripts: string[]; sheets: string[] } {
  const names = new Set(Object.keys(manifest).filter((key) => manifest[key]?.name === screensName))
  if (source !== undefined) names.add(source)
  const scripts: string[] = []
  const sheets: string[] = []
  // A Set's loop also visits what is added meanwhile, so imports of imports are followed too.
  for (const name of names) {
    const chunk = manifest[name]
    if (chunk === undefined || name === 'index.html') continue
    scripts.push(chunk.file)
    sheets.push(...chunk.css)
    for (const imported of chunk.imports) names.add(imported)
  }
  return { scripts: [...new Set(scripts)], sheets: [...new Set(sheets)] }
}

/** Data, which no browser runs. Without a '<' nothing in it can end the element or open another. */
function answersElement(answers: ReadonlyMap<string, string>): string {
  const entries = [...answers].map(([address, body]) => `${JSON.stringify(address)}:${body}`)
  return `<script type="application/json" id="${answersId}">{${entries.join(',').replaceAll('<', '\\u003c')}}</script>`
}

function settingsOf(answers: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object(JSON.parse(answers.get(settingsAddress) ?? '{}'))
}

function quoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
