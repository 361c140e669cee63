const [major = ''] = process.versions.node.split('.')
if (Number(major) < 24) {
  process.stderr.write(
    `Dealdeck needs Node.js 24 or newer; this is ${process.version}. npm start uses the one it brings along.\n`,
  )
  process.exit(1)
}

// Imported only now: an older Node fails on the first module that uses something new, with a message nobody understands.
const { Dealdeck } = await import('./start.ts')

/** Past this, and past DRAIN_SECONDS, the process ends anyway, in milliseconds. */
const stopLimitMs = 4_800

const say = (line: string) => process.stdout.write(`${line}\n`)
// Whoever read our output may go first; that must not disturb an orderly end.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

function fail(error: unknown): number {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  if (process.env.LOG_LEVEL === 'debug' || process.env.LOG_LEVEL === 'trace') console.error(error)
  return 1
}

function makeDealdeck() {
  try {
    const withWeb = !process.argv.includes('--no-web')
    return new Dealdeck({ environment: process.env, withWeb, say, isTerminal: process.stdout.isTTY === true })
  } catch (error) {
    process.exit(fail(error))
  }
}

const dealdeck = makeDealdeck()

async function end(code: number, drains = false): Promise<void> {
  setTimeout(() => process.exit(1), stopLimitMs + (drains ? dealdeck.drainMs : 0)).unref()
  await dealdeck.stop({ drains })
  process.exit(code)
}

// A second signal finds the end under way and changes nothing: npm passes on the Ctrl-C the terminal has sent already.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    end(0, true).catch(fail)
  })
}
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => {
    dealdeck.log.fatal({ err: error }, 'Dealdeck stops because of a fault of its own')
    end(1).catch(fail)
  })
}

try {
  await dealdeck.start()
} catch (error) {
  process.exit(fail(error))
}
