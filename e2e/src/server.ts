import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Role } from '@dealdeck/contract/session'
import { cloneTemplate, dropDatabase } from '../../server/testing/template.ts'
import { openWeakLink, type WeakLink } from '../../server/testing/weak-link.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const password = 'correct horse'

export type RunningServer = {
  /** Such as http://127.0.0.1:40123, without a slash at the end. */
  origin: string
  databaseUrl: string
  /** Where the application reaches that database only through it. */
  databaseLink: WeakLink | undefined
  /** One account of each role, made at start. */
  accounts: Record<Role, { username: string; password: string }>
  stop(): Promise<void>
}

/**
 * Starts the real application as a process of its own, on a fresh database, and waits until it answers. A link is as slow as
 * this process, which the application would take for a slow database: only who cuts it has one.
 */
export async function startServer(
  settings: Record<string, string> = {},
  isLinked = false,
): Promise<RunningServer> {
  const clusterUrl = process.env.E2E_CLUSTER_URL
  const template = process.env.E2E_TEMPLATE
  if (!clusterUrl || !template) throw new Error('The global setup has not run')
  const databaseUrl = await cloneTemplate(clusterUrl, template)
  const databaseLink = isLinked ? await openWeakLink(databaseUrl) : undefined
  const dataDir = await mkdtemp(join(tmpdir(), 'dealdeck-e2e-'))
  const accounts = {
    admin: { username: 'ada', password },
    user: { username: 'una', password },
  }
  const builtIn = join(dataDir, 'built-in-accounts.json')
  const known = Object.entries(accounts).map(([role, { username }]) => ({
    username,
    role,
    password_hash: '',
  }))
  await writeFile(builtIn, JSON.stringify(known))
  const child = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      TZ: process.env.TZ,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseLink?.url ?? databaseUrl,
      // All workers share one server, which has 60.
      DATABASE_CONNECTIONS: '16',
      BUILT_IN_ACCOUNTS: builtIn,
      ADMIN_USERNAME: accounts.admin.username,
      ADMIN_PASSWORD: accounts.admin.password,
      SAMPLE_DEALS: 'off',
      // Sources of the tests are served by the tests.
      FETCH_ALLOW: '127.0.0.1/32',
      LOG_LEVEL: 'warn',
      ...settings,
    },
  })
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await databaseLink?.close()
    await dropDatabase(clusterUrl, databaseUrl)
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const origin = await originOf(child)
    if (settings.SIGNUP_MODE !== 'closed') await signUp(origin, accounts.user)
    return { origin, databaseUrl, databaseLink, accounts, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Reads the address the application prints; its other lines come with the error when it never prints one. */
function originOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines: string[] = []
    const read = (line: string) => {
      lines.push(line)
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
      if (origin) resolve(origin)
    }
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', read)
    }
    child.once('error', reject)
    child.once('exit', (code) =>
      reject(new Error(`The server ended with code ${code}:\n${lines.join('\n')}`)),
    )
  })
}

async function signUp(origin: string, account: { username: string; password: string }): Promise<void> {
  const response = await fetch(`${origin}/api/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(account),
  })
  if (!response.ok) throw new Error(`Sign-up answered ${response.status}: ${await response.text()}`)
}
