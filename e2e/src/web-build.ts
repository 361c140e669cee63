import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const web = fileURLToPath(new URL('../../web/', import.meta.url))
const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))

/** Builds the web app for production, unless `npm test` has just done so. Throws when the build fails. */
export async function buildWeb(): Promise<void> {
  if (process.env.E2E_WEB_IS_BUILT && existsSync(`${web}dist/index.html`)) return
  const child = spawn(process.execPath, [vite, 'build'], { cwd: web, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('The web build failed')
}
