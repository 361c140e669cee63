import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { checks, root, toolEnvironment } from './checks.ts'

const running = new Set<ChildProcess>()
let isEnding = false

// A terminal interrupts them by itself, and a second time would keep them from cleaning up. Who ends this program alone, as
// a CI does, means them too.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    isEnding = true
    if (signal === 'SIGTERM') for (const child of running) child.kill(signal)
    while (running.size > 0) await Promise.all([...running].map((child) => once(child, 'close')))
    process.exit(1)
  })

export type StepOptions = {
  cwd?: string
  env?: Record<string, string>
  /** Whether its output is shown when it has ended, for steps that run beside another. */
  isBeside?: boolean
}

/** Runs one command and shows its output below its name. Whether it succeeded. */
export async function step(
  name: string,
  command: string[],
  { cwd = '.', env, isBeside = false }: StepOptions = {},
): Promise<boolean> {
  if (isEnding) return false
  const title = `\n── ${name}`
  if (!isBeside) console.log(title)
  const [file = '', ...args] = command
  const output = isBeside ? 'pipe' : 'inherit'
  const child = spawn(file, args, {
    cwd: join(root, cwd),
    env: { ...toolEnvironment, ...env },
    stdio: ['ignore', output, output],
  })
  running.add(child)
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => said.push(piece))
  const succeeded = await once(child, 'close').then(
    ([code]) => code === 0,
    (error: Error) => {
      said.push(Buffer.from(`${error.message}\n`))
      return false
    },
  )
  running.delete(child)
  if (isBeside) console.log(title)
  process.stdout.write(Buffer.concat(said))
  return succeeded
}

/** Runs all checks, two at a time, so that a tool which uses one core leaves none idle. The names of those that failed. */
export async function failedChecks(): Promise<string[]> {
  const waiting = [...checks]
  const failed: string[] = []
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift())
      if (!(await step(check.name, check.command, { isBeside: true }))) failed.push(check.name)
  }
  await Promise.all([work(), work()])
  return failed
}
