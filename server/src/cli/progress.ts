import { Presets, SingleBar } from 'cli-progress'
import type { ImportProgress } from '../features/ingest/actions.ts'
import type { NumberText } from '../platform/numbers.ts'

export type Progress = {
  /** So many more bytes of the file have been read. */
  read(bytes: number): void
  report(progress: ImportProgress): void
  stop(): void
}

/** Without a terminal one line reports how far it is, this often at most. */
const linesEveryMs = 5_000

/** Shows how far an import is: a bar on a terminal, now and then a plain line otherwise. `size` in bytes; 0 when unknown. */
export function createProgress(name: string, size: number, number: NumberText): Progress {
  return process.stderr.isTTY ? bars(name, size, number) : plainLines(name, number)
}

function bars(name: string, size: number, number: NumberText): Progress {
  const bar = new SingleBar(
    {
      format: `{step} {bar} {percentage}% | {name} | {rows} rows`,
      clearOnComplete: true,
      stream: process.stderr,
    },
    Presets.shades_classic,
  )
  let step = 'reading'
  let bytes = 0
  bar.start(Math.max(size, 1), 0, { step, name, rows: 0 })
  return {
    read(more) {
      bytes += more
    },
    report(progress) {
      if (progress.phase === 'reading') {
        bar.update(size === 0 ? 0 : bytes, { rows: number(progress.rows) })
        return
      }
      if (step === 'reading') {
        step = 'storing'
        bar.setTotal(progress.total)
      }
      bar.update(progress.done, { step, rows: number(progress.total) })
    },
    stop: () => bar.stop(),
  }
}

function plainLines(name: string, number: NumberText): Progress {
  let last = performance.now()
  return {
    read() {},
    report(progress) {
      if (performance.now() - last < linesEveryMs) return
      last = performance.now()
      const text =
        progress.phase === 'reading'
          ? `read ${number(progress.rows)} rows`
          : `stored ${number(progress.done)} of ${number(progress.total)} rows`
      process.stderr.write(`${name}: ${text}\n`)
    },
    stop() {},
  }
}
