import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const sourceFolder = fileURLToPath(new URL('../src/', import.meta.url))

/** A process of Dealdeck as a user would start it. */
export class DealdeckProcess {
  readonly child: ChildProcess
  output = ''
  errors = ''
  readonly #ended: Promise<unknown>

  /** `script` is a path, below server/src when relative; the environment is the machine's own without any setting, plus `env`. */
  constructor(script: string, args: string[], env: Record<string, string>) {
    const { PATH, HOME, TZ, NODE_COMPILE_CACHE } = process.env
    this.child = spawn(process.execPath, [resolve(sourceFolder, script), ...args], {
      env: { PATH, HOME, TZ, NODE_COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout?.on('data', (chunk) => {
      this.output += chunk
    })
    this.child.stderr?.on('data', (chunk) => {
      this.errors += chunk
    })
    this.#ended = once(this.child, 'close')
  }

  /** Its exit code, or the signal that ended it. */
  async ended(): Promise<number | NodeJS.Signals | null> {
    await this.#ended
    return this.child.exitCode ?? this.child.signalCode
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  /** What it printed, once that matches; throws with everything it said when it ends before. */
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.output)
      if (found) return found[1] ?? found[0]
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        await this.#ended
        const last = pattern.exec(this.output)
        if (last) return last[1] ?? last[0]
        throw new Error(`It ended (${await this.ended()}):\n${this.output}${this.errors}`)
      }
      await sleep(10)
    }
  }
}

/** Starts the application, this one or that of another checkout, on a free port, without the web app; it is ended with the test. */
export function startDealdeck(
  env: Record<string, string>,
  checkout?: string,
): DealdeckProcess & { address(): Promise<string> } {
  const script = checkout === undefined ? 'main.ts' : resolve(checkout, 'server/src/main.ts')
  const dealdeck = new DealdeckProcess(script, ['--no-web'], {
    ...{ PORT: '0', SAMPLE_DEALS: 'off', SEARCH_INDEX: 'off', ...env },
  })
  onTestFinished(async () => {
    dealdeck.kill('SIGTERM')
    await dealdeck.ended()
  })
  return Object.assign(dealdeck, { address: () => dealdeck.says(/Dealdeck is ready: (\S+)/) })
}

/** Runs one command to its end. */
export async function runCommand(args: string[], env: Record<string, string>) {
  const command = new DealdeckProcess('cli/main.ts', args, env)
  const code = await command.ended()
  return { code, output: command.output, errors: command.errors }
}

/** A folder of this test's own that any user may enter, removed at its end together with what still runs on it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-start-'))
  await chmod(folder, 0o755)
  onTestFinished(async () => {
    for (const pid of serversOn(folder)) process.kill(pid, 'SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  return folder
}

/** Process ids of the database servers that run on a cluster below the folder. */
export function serversOn(folder: string): number[] {
  return processes()
    .filter(({ command }) => command.includes(` -D ${folder}`))
    .map(({ pid }) => pid)
}

function processes(): { pid: number; command: string }[] {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' })
    return stdout.split('\n').map((line) => ({ pid: Number.parseInt(line, 10), command: line }))
  }
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .map((pid) => ({ pid, command: commandOf(pid) }))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
