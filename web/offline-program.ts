import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const worker = 'service-worker.js'
const unbuilt = "{ version: '', files: [] }"
/** What the page names beside the files of the build. */
const always = ['/index.html', '/before-paint.js', '/favicon.svg']

/** Writes into the service worker which files make up the program. */
export function offlineProgram(): Plugin {
  return {
    name: 'offline-program',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      // The build of the prerendered shells has no page.
      if (!('index.html' in bundle)) return
      const built = Object.keys(bundle).filter((name) => /^assets\/.*\.(js|css|svg|png|woff2)$/.test(name))
      const files = [...always, ...built.map((name) => `/${name}`).sort()]
      const hash = createHash('sha1')
      for (const file of files) hash.update(file).update(readFileSync(join(dir, file)))
      const version = hash.digest('base64url')
      const text = readFileSync(join(dir, worker), 'utf8')
      if (!text.includes(unbuilt)) throw new Error(`${worker} has no place for its files`)
      writeFileSync(join(dir, worker), text.replace(unbuilt, JSON.stringify({ version, files })))
    },
  }
}
