import { readdir } from 'node:fs/promises'
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test'
import { findBrowser } from '../../tools/find-browser.ts'
import { type Application, startWithWeb } from './application.ts'
import { type Workshop, withClient } from './scratch.ts'

/** What keeps a browser to the page it shows. */
export const browserFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const pictures = new URL('../../server/sample-deals/images/', import.meta.url)

/** A browser as the tests find it; throws when there is none. `shellFirst`: without windows of its own, which take turns with the page. */
export function browserPath(options: { shellFirst?: boolean } = {}): string {
  const path = findBrowser(options)
  if (path === undefined) throw new Error('No Chromium was found; npm test installs one')
  return path
}

/** The application on a database, and a browser to look at it with, for as long as `work` takes. */
export async function withBrowser<T>(
  databaseUrl: string,
  work: (app: Application, browser: Browser) => Promise<T>,
): Promise<T> {
  const app = await startWithWeb(databaseUrl)
  try {
    // A signal is ours to answer: the browser's own answer would end this program before its databases.
    const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
    const browser = await chromium.launch({ executablePath: browserPath(), args: browserFlags, ...signals })
    try {
      return await work(app, browser)
    } finally {
      await browser.close()
    }
  } finally {
    await app.stop()
  }
}

/** A page of the application, its administrator signed in. */
export async function openPage(
  app: Application,
  browser: Browser,
  options: BrowserContextOptions,
): Promise<Page> {
  const context = await browser.newContext({ ...options, baseURL: app.url })
  const [cookie = '', value = ''] = app.cookie.split('=')
  await context.addCookies([{ name: cookie, value, url: app.url }])
  return context.newPage()
}

/** A database of so many deals with the pictures of the sample deals, which come from the application itself. */
export async function filledWithPictures(workshop: Workshop, deals: number): Promise<string> {
  const names = (await readdir(pictures)).filter((name) => name.endsWith('.svg'))
  const { url } = await workshop.filled(deals)
  await withClient(url, (client) =>
    client.query(`update deals set image_url = '/sample-images/' || ($1::text[])[1 + id % $2]`, [
      names,
      names.length,
    ]),
  )
  return url
}
