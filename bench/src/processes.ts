import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The folder of this checkout. */
export const ownRoot = fileURLToPath(new URL('../../', import.meta.url))

/** A Node program of this repository running as a process of its own, as it does for users. */
export type Program = { process: ChildProcess; url: string; stop(): Promise<void> }

/** Environment of a program: what Node itself needs, and the given settings; nothing of ours leaks in. */
function environmentOf(settings: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TZ: 'UTC', ...settings }
}

const started = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of started) child.kill()
})

/** Whatever ends the measuring early ends what it started. */
export function endWithUs(child: ChildProcess): ChildProcess {
  started.add(child)
  child.once('exit', () => started.delete(child))
  return child
}

/** Stops whatever was started and still runs. */
export async function stopPrograms(): Promise<void> {
  await Promise.all([...started].map(stop))
}

/** Runs a program of this repository, or of another checkout, with the options its npm script gives to Node. */
export function runScript(
  script: 'start' | 'cli',
  args: string[],
  settings: Record<string, string>,
  root = ownRoot,
): ChildProcess {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  const found = new RegExp(`"${script}": "exec (?:env ([^"]+) )?node ([^"]+)"`).exec(manifest)
  const [, environment = '', command] = found ?? []
  if (command === undefined) throw new Error(`package.json runs no Node for ${script}`)
  const given = Object.fromEntries(environment.split(' ').map((each) => each.split('=')))
  return runNode([...command.split(' '), ...args], { ...given, ...settings }, root)
}

export function runNode(args: string[], settings: Record<string, string>, root = ownRoot): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: environmentOf(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return endWithUs(child)
}

/** Keeps the end of what a program writes, for whoever has to say why it failed. */
export function lastWordsOf(child: ChildProcess): () => string {
  let said = ''
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000)
    })
  }
  return () => said
}

/** Runs a program, named from this folder, that takes commands and reports by messages. */
export function runWorker(file: string): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    env: environmentOf({}),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return endWithUs(child)
}

/** Waits until a started server program says its address. Throws with what it wrote when it ends before. */
export async function startServer(child: ChildProcess): Promise<Program> {
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  if (!child.stdout) throw new Error('a program without output')
  const lines = createInterface(child.stdout)
  const address = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(`${line}\n`)
      const url = /ready.*?(https?:\/\/[\w.:[\]-]+)/i.exec(line)?.[1]
      if (url) resolve(url)
    })
    child.once('exit', () =>
      reject(new Error(`${child.spawnargs.slice(1).join(' ')} ended early: ${said.join('')}`)),
    )
  })
  return { process: child, url: await address, stop: () => stop(child) }
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Measures the resident memory of a process until it ends; the promise holds the highest value, in bytes. */
export async function peakMemory(child: ChildProcess): Promise<number> {
  let peak = 0
  const ended = once(child, 'exit')
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
    peak = Math.max(peak, kilobytes * 1024)
    // Whoever waits for the end is told at once.
    await Promise.race([ended, sleep(50)])
  }
  return peak
}

/** The resident memory of a process now, in bytes. */
export async function memoryOf(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) * 1024
}

/** The processor time a process has used so far, in seconds. */
export async function processorSecondsOf(child: ChildProcess): Promise<number> {
  return statOf(await readFile(`/proc/${child.pid}/stat`, 'utf8')).own
}

type Stat = { parent: number; own: number; ended: number }

/** A process's parent, and the seconds of processor time that it and its ended children have used. */
function statOf(text: string): Stat {
  // After the name, which may hold anything, come the state and ten more; the kernel counts in hundredths of a second.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const seconds = (index: number) => (Number(fields[index]) + Number(fields[index + 1])) / 100
  return { parent: Number(fields[1]), own: seconds(11), ended: seconds(13) }
}

/** The process that started this one. */
export async function parentOf(pid: number): Promise<number> {
  return statOf(await readFile(`/proc/${pid}/stat`, 'utf8')).parent
}

/** The processor time, in seconds, that a process and all it has started have used so far, whether they still run or not. */
export async function familySecondsOf(pid: number): Promise<number> {
  const stats = new Map<number, Stat>()
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    // One may end while we look.
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    if (text !== '') stats.set(Number(name), statOf(text))
  }
  const isOfFamily = (member: number | undefined): boolean =>
    member !== undefined && (member === pid || isOfFamily(stats.get(member)?.parent))
  return [...stats].reduce((sum, [member, { own, ended }]) => sum + (isOfFamily(member) ? own + ended : 0), 0)
}

/** The processor time, in seconds, of all programs that this process has started and that have ended. */
export async function endedChildrenSeconds(): Promise<number> {
  return statOf(await readFile('/proc/self/stat', 'utf8')).ended
}

/** How many files a process of ours may have open; Node raises the limit of each process to that by itself. */
export async function fileLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8')
  const hard = /Max open files\s+\S+\s+(\S+)/.exec(limits)?.[1]
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard)
}
