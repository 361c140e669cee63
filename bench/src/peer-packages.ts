import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lastWordsOf } from './processes.ts'

const peers = fileURLToPath(new URL('../../.cache/peers/', import.meta.url))

/** A program from npm that only measurements need, and how it is installed. */
export type Peer = {
  name: string
  version: string
  /** Packages whose install scripts are run; nobody else's are. */
  scripts?: string[]
  /** Another Node than ours to install with, which then is the one to run it with. */
  node?: string
}

/**
 * Installs a peer into `.cache/peers`, once, and returns its folder. Not a dependency of ours: each brings more
 * packages than the whole product has, and nobody but a measurement runs it. Throws what npm said when that fails.
 */
export async function installPeer({
  name,
  version,
  scripts = [],
  node = process.execPath,
}: Peer): Promise<string> {
  const folder = join(peers, `${name}-${version}`)
  const done = join(folder, '.installed')
  if (existsSync(done)) return folder
  console.log(`Installing ${name} ${version} into ${folder} …`)
  await mkdir(folder, { recursive: true })
  const manifest = {
    private: true,
    dependencies: { [name]: version },
    allowScripts: Object.fromEntries(scripts.map((script) => [script, true])),
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await runToEnd('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    // npm and the scripts it runs take the first Node there.
    env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` },
  })
  await writeFile(done, '')
  return folder
}

/** Runs a program to its end and returns what it wrote; throws the end of that when it fails. */
export async function runToEnd(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = lastWordsOf(child)
  let written = ''
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString()
  })
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0
        ? resolve(written)
        : reject(new Error(`${command} ${args[0] ?? ''} ended with ${code}: ${said()}`)),
    )
  })
}
