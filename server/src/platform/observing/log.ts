import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino'
import { RepeatedLines } from './repeated-lines.ts'

/** What a line begins with that tells of somebody who was refused. */
const refusal = /^refused: /

/**
 * The log, on standard output: one JSON object a line, or one plain line on a terminal. Warnings and errors that say the
 * same are one line, then one a minute with how many they were; so are refusals, of the same caller, after ten lines. `flush` says at
 * once how many there are by now.
 * No password, hash or token may be handed to it; what is easily handed by mistake is struck out.
 */
export function createLog(level: string, output: NodeJS.WriteStream = process.stdout): Logger {
  const failures = new RepeatedLines({ first: 1, isByCaller: false })
  const refusals = new RepeatedLines({ first: 10, isByCaller: true })
  const lowestFailure = pino.levels.values.warn ?? 0
  const options: LoggerOptions = {
    level,
    base: undefined,
    // For people, as everything else that shows a time to whoever runs this: 2026-01-31T17:45:00.000Z.
    timestamp: stdTimeFunctions.isoTime,
    redact: ['password', 'token', '*.password', '*.token', '*.headers.cookie', '*.headers.authorization'],
    serializers: { err: serializeError },
    hooks: {
      logMethod(args, method, level) {
        if (refusal.test(String(args[1]))) refusals.note(this, args, method, level)
        else if (level >= lowestFailure) failures.note(this, args, method, level)
        else method.apply(this, args)
      },
    },
  }
  const lines = output.isTTY ? plainLines(output) : { write: (line: string) => output.write(visible(line)) }
  const flush = (done: () => void) => {
    failures.flush()
    refusals.flush()
    done()
  }
  return pino(options, Object.assign(lines, { flush }))
}

/**
 * Only these, of whatever else an error carries: PostgreSQL's quote the row, and with it a password's hash, and lost
 * connections bring the whole client along.
 */
function serializeError(error: unknown): Record<string, unknown> | string {
  if (!(error instanceof Error)) return String(error)
  return {
    type: error.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  }
}

function plainLines(output: NodeJS.WriteStream): DestinationStream {
  return {
    write(json: string) {
      const { time, level, msg, err, ...rest } = JSON.parse(json)
      const name = pino.levels.labels[level] ?? level
      const details = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
      // Indented, so that no text in it can pass for a line of the log.
      const fault = err ? `\n${String(err.stack ?? JSON.stringify(err)).replace(/^/gm, '    ')}` : ''
      const line = `${time} ${name} ${String(msg ?? '').replace(/[\r\n\u2028\u2029]+/g, ' ')}${details}`
      output.write(`${visible(line + fault)}\n`)
    },
  }
}

/** With escapes, as JSON has them, for what a terminal would obey or what would show a text in another order. */
function visible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
