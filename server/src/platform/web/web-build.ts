import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { lockFolder } from '../data-dir-lock.ts'

const checkout = fileURLToPath(new URL('../../../../', import.meta.url))
/** What the build is made of. */
export const sources = [
  ...[
    'web/src',
    'web/public',
    'web/index.html',
    'web/vite.config.ts',
    'web/chunks.ts',
    'web/class-names.ts',
    'web/compressed-assets.ts',
    'web/contract-routes.ts',
    'web/early-paint.ts',
    'web/offline-program.ts',
    'web/prerendered-shells.ts',
    'web/package.json',
    'web/tsconfig.json',
  ],
  ...['contract/src', 'marketplace/src', 'query/src', 'package-lock.json'],
]
const stampName = '.sources'
const leastCompressedBytes = 1024
const brotliCompressAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)

/**
 * Builds the web app when it is missing or older than its sources, judged by their hash. Returns whether it built.
 * Several applications of one checkout (`root`) build one after the other. Throws one clear line when the build fails,
 * leaving the last one where it is.
 */
export async function buildWeb(
  say: (line: string) => void,
  signal: AbortSignal,
  root: string = checkout,
): Promise<boolean> {
  const web = join(root, 'web')
  const hash = await hashSources(root)
  if (await isBuilt(web, hash)) return false
  const lock = await waitForTurn(web, hash, signal)
  if (!lock) return false
  try {
    say('Building the web app…')
    await build(web, hash, signal)
    return true
  } finally {
    lock.release()
  }
}

async function build(web: string, hash: string, signal: AbortSignal): Promise<void> {
  const fresh = join(web, '.cache', 'fresh')
  const old = join(web, '.cache', 'old')
  await rm(fresh, { recursive: true, force: true })
  await runVite(web, fresh, signal)
  await compress(fresh)
  await writeFile(join(fresh, stampName), hash)
  // Built elsewhere and swapped in, so that a killed build leaves the last one whole.
  await rm(old, { recursive: true, force: true })
  await rename(join(web, 'dist'), old).catch(() => {})
  await rename(fresh, join(web, 'dist'))
  await rm(old, { recursive: true, force: true })
}

async function runVite(web: string, folder: string, signal: AbortSignal): Promise<void> {
  const vite = join(
    dirname(createRequire(join(web, 'package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  )
  const child = spawn(
    process.execPath,
    [vite, 'build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'],
    {
      cwd: web,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  }
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) return resolve()
      const why = said.split('\n').find((line) => /error/i.test(line)) ?? said.trim().split('\n')[0]
      reject(new Error(`The web app can't be built: ${why?.trim()} (npm run build -w web shows all of it)`))
    })
  })
}

/** Compresses once, better than there is time for at each request; the server sends these where a browser takes them. */
async function compress(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const { name, parentPath } of entries) {
    if (!/\.(js|css|svg|html|json)$/.test(name)) continue
    const file = join(parentPath, name)
    const bytes = await readFile(file)
    if (bytes.length < leastCompressedBytes) continue
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
    await writeFile(`${file}.br`, await brotliCompressAsync(bytes, options))
    await writeFile(`${file}.gz`, await gzipAsync(bytes, { level: 9 }))
  }
}

/** The turn to build; null when somebody else has built the same meanwhile. */
async function waitForTurn(web: string, hash: string, signal: AbortSignal) {
  for (;;) {
    const lock = await lockFolder(join(web, '.cache'), 'command')
    const built = await isBuilt(web, hash)
    if (lock && !built) return lock
    lock?.release()
    if (built) return null
    await sleep(100, undefined, { signal })
  }
}

async function isBuilt(web: string, hash: string): Promise<boolean> {
  const stamp = await readFile(join(web, 'dist', stampName), 'utf8').catch(() => '')
  return stamp === hash
}

async function hashSources(root: string): Promise<string> {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const path of (await filesUnder(root, source)).sort()) {
      hash
        .update(path)
        .update('\0')
        .update(await readFile(join(root, path)))
        .update('\0')
    }
  }
  return hash.digest('hex')
}

async function filesUnder(root: string, path: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    return files.map((entry) => join(entry.parentPath, entry.name).slice(root.length))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOTDIR') return [path]
    if (code === 'ENOENT') return []
    throw error
  }
}
