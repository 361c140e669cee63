import { Presets, SingleBar } from 'cli-progress'
import type { ImportProgress } from '../features/ingest/actions.ts'

export type Progress = {
  /** So many more bytes of the file have been read. */
  read(bytes: number): void
  report(progress: ImportProgress): void
  stop(): void
}

/** Without a terminal one line reports how far it is, this often at most. */
const linesEveryMs = 5_000

/** Shows how far an import is: a bar on a terminal, now and then a plain line otherwise. `size` in bytes; 0 when unknown. */
export function createProgress(name: string, size: number): Progress {
  return process.stderr.isTTY ? bars(name, size) : plainLines(name)
}

function bars(name: string, size: number): Progress {
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
        bar.update(size === 0 ? 0 : bytes, { rows: progress.rows.toLocaleString('en') })
        return
      }
      if (step === 'reading') {
        step = 'storing'
        bar.setTotal(progress.total)
      }
      bar.update(progress.done, { step, rows: progress.total.toLocaleString('en') })
    },
    stop: () => bar.stop(),
  }
}

function plainLines(name: string): Progress {
  let last = performance.now()
  return {
    read() {},
    report(progress) {
      if (performance.now() - last < linesEveryMs) return
      last = performance.now()
      const rows = (count: number) => count.toLocaleString('en')
      const text =
        progress.phase === 'reading'
          ? `read ${rows(progress.rows)} rows`
          : `stored ${rows(progress.done)} of ${rows(progress.total)} rows`
      process.stderr.write(`${name}: ${text}\n`)
    },
    stop() {},
  }
}
