import { rm } from 'node:fs/promises'
import { runScript, startServer } from './processes.ts'
import { atMost, median, type Report } from './report.ts'
import { makeFolder } from './scratch.ts'

const laterStarts = 5

/** Seconds from starting the process until it says its address: on an empty DATA_DIR, then on the same one again. */
export async function measureStart(): Promise<Report> {
  const folder = await makeFolder()
  try {
    const firstStart = await timeStart(folder)
    const later: { up: number; down: number }[] = []
    for (let round = 0; round < laterStarts; round++) later.push(await timeStart(folder))
    return {
      title: 'Starting',
      figures: [
        atMost('first start', firstStart.up, 15, 's', 'the web app was built before'),
        atMost('later starts', median(later.map((times) => times.up)), 3, 's', `median of ${laterStarts}`),
        atMost(
          'stopping',
          Math.max(...later.map((times) => times.down)),
          5,
          's',
          `longest of ${laterStarts}`,
        ),
      ],
      details: { firstStart, later },
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function timeStart(folder: string): Promise<{ up: number; down: number }> {
  const begin = performance.now()
  const program = await startServer(
    runScript('start', [], { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error' }),
  )
  const ready = performance.now()
  await program.stop()
  return { up: (ready - begin) / 1000, down: (performance.now() - ready) / 1000 }
}
