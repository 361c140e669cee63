import { readdir } from 'node:fs/promises'
import { findBrowser } from '../../tools/find-browser.ts'
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
