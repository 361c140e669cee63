import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, release, type as system, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Figure, figureCells, type Report } from './report.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

type Machine = { system: string; cores: number; cpu: string | undefined; memory: number }

/** The newest run of one measurement, without the details that only the file of its run holds. */
type Kept = {
  at: string
  node: string
  machine: Machine
  rows: number
  title: string
  figures: Figure[]
  command?: string
}

/** Writes all reports of a run as JSON into `bench/results` and their measurements into `bench/results.md`; returns the file's path. */
export async function saveReports(reports: Record<string, Report>, rows: number): Promise<string> {
  await mkdir(pathOf('results'), { recursive: true })
  const machine: Machine = {
    system: `${system()} ${release()}`,
    cores: cpus().length,
    cpu: cpus()[0]?.model,
    memory: totalmem(),
  }
  const run = { at: new Date().toISOString(), node: process.version, machine, rows }
  const file = pathOf(`results/${run.at.replace(/[:.]/g, '-')}.json`)
  await writeFile(file, `${JSON.stringify({ ...run, reports }, null, 2)}\n`)
  await keepResults(reports, run)
  return file
}

/** Takes a run's measurements into `bench/results.json`, beside the newest of all others, and writes `bench/results.md` from it. */
async function keepResults(
  reports: Record<string, Report>,
  run: Pick<Kept, 'at' | 'node' | 'machine' | 'rows'>,
): Promise<void> {
  const known = await readKept()
  for (const [name, { title, figures, keptAs, command }] of Object.entries(reports))
    known[keptAs ?? name] = { ...run, title, figures, ...(command === undefined ? {} : { command }) }
  const sorted = Object.fromEntries(Object.entries(known).sort(([a], [b]) => a.localeCompare(b)))
  await writeFile(pathOf('results.json'), `${JSON.stringify(sorted, null, 2)}\n`)
  await writeFile(pathOf('results.md'), toMarkdown(sorted))
}

async function readKept(): Promise<Record<string, Kept>> {
  return JSON.parse(await readFile(pathOf('results.json'), 'utf8').catch(() => '{}'))
}

/** The figures of the newest run of a measurement, by the name it is kept under; none where there was no run. */
export async function keptFigures(name: string): Promise<Figure[]> {
  return (await readKept())[name]?.figures ?? []
}

function toMarkdown(known: Record<string, Kept>): string {
  const parts = [
    '# What was measured',
    'Written by `npm run bench`, each part by its newest run; `bench/results.json` has the same as data. Both sides of a comparison ran by turns in the same run.',
  ]
  for (const [name, { at, node, machine, rows, title, figures, command }] of Object.entries(known)) {
    const gigabytes = Math.round(machine.memory / 2 ** 30)
    parts.push(
      `## ${title}`,
      `\`npm run bench -- --only ${command ?? `${name} --rows ${rows}`}\`, ${at.slice(0, 16).replace('T', ' ')} UTC, on ${machine.cores} cores (${machine.cpu}), ${gigabytes} GB, ${machine.system}, Node.js ${node}.`,
      table(figures),
    )
  }
  return `${parts.join('\n\n')}\n`
}

function table(figures: Figure[]): string {
  const header = ['', 'figure', 'measured', 'unit', 'target', 'note']
  const rows = [header, header.map(() => '---'), ...figures.map(figureCells)]
  return rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}
