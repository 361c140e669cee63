import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Check, checks, root, toolEnvironment } from './checks.ts'

// Two at a time, so that a tool which uses one core leaves none idle. Each says what it has to say when it is done.
const waiting = [...checks]
const failed: string[] = []

/** Runs one check to its end, then prints its output as a whole. */
async function run({ name, command: [file = '', ...args] }: Check): Promise<void> {
  const child = spawn(file, args, { cwd: root, env: toolEnvironment, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes))
  const code = await once(child, 'close').then(
    ([code]) => code,
    (error: Error) => output.push(Buffer.from(`${error.message}\n`)),
  )
  if (code !== 0) failed.push(name)
  process.stdout.write(Buffer.concat([Buffer.from(`── ${name}\n`), ...output]))
}

async function work(): Promise<void> {
  for (let check = waiting.shift(); check; check = waiting.shift()) await run(check)
}

await Promise.all([work(), work()])
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
