import type { Source, SourceRun, TryResult } from '@dealdeck/contract/sources'
import { Command } from 'commander'
import { listRuns, listSources, readSource } from '../features/sources/queries.ts'
import { makeDue } from '../features/sources/running/claims.ts'
import { runSource } from '../features/sources/running/run.ts'
import { type SourceDeps, sourceDeps } from '../features/sources/running/source-deps.ts'
import { trySource } from '../features/sources/running/trying.ts'
import { systemClock } from '../platform/clock.ts'
import { type NumberText, numberText } from '../platform/numbers.ts'
import { SecretBox } from '../platform/secret-box.ts'
import { withDatabases } from './database.ts'

/** `sources list`, `sources run ID`, `sources try ID`: what the running application does by itself, by hand. */
export function sourcesCommand(): Command {
  const command = new Command('sources').description('what deals are read from by itself')
  command
    .command('list')
    .description('all sources, with their states')
    .action(() =>
      withSources(
        async (deps) => say(sourceTable(await listSources(deps.databases.db, deps), numbersOf(deps))),
        {
          onlyReads: true,
        },
      ),
    )
  command
    .command('run')
    .description('ask a source now, and import what it says')
    .argument('<id>', 'its id, as list has it', readId)
    .action((id: number) => withSources((deps) => run(deps, id)))
  command
    .command('try')
    .description('ask a source now, show what it says, and store nothing')
    .argument('<id>', 'its id, as list has it', readId)
    .action((id: number) => withSources((deps) => tryOne(deps, id)))
  return command
}

async function run(deps: SourceDeps, id: number): Promise<void> {
  const { db } = deps.databases
  const { name, is_paused } = await readSource(db, deps, id)
  if (is_paused) throw new Error(`${name} is paused. Let it go on first.`)
  await makeDue(deps.databases, id)
  const ended = await runSource(deps, id, new AbortController().signal)
  if (!ended) throw new Error(`Another process is just asking ${name}, or it was changed meanwhile.`)
  const { items } = await listRuns(db, { id, limit: 10 })
  const found = items.find((one) => one.id === ended.runId)
  if (found) say(runLines(name, found, numbersOf(deps)))
  if (found?.state === 'failed') throw new Error(`${name} could not be read.`)
}

async function tryOne(deps: SourceDeps, id: number): Promise<void> {
  const { kind, name, settings } = await readSource(deps.databases.db, deps, id)
  const input = { kind, settings, secrets: {}, source_id: id }
  const result = await trySource(deps, input, new AbortController().signal)
  say(tryLines(name, result, numbersOf(deps)))
  if (result.problem !== null) throw new Error(result.problem)
}

function withSources(work: (deps: SourceDeps) => Promise<void>, { onlyReads = false } = {}): Promise<void> {
  return withDatabases(
    ({ databases, settings, log }) =>
      work(sourceDeps({ databases, settings, log, clock: systemClock, secretBox: new SecretBox(settings) })),
    { onlyReads },
  )
}

function readId(text: string): number {
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text)
  throw new Error(`'${text}' is no id. sources list shows them.`)
}

const numbersOf = ({ settings }: SourceDeps) => numberText(settings.MARKETPLACE)
const say = (lines: string[]) => console.log(lines.join('\n'))
const someRows = (rows: number, number: NumberText) => (rows === 1 ? '1 row' : `${number(rows)} rows`)

/** A line for each source. */
function sourceTable(sources: readonly Source[], number: NumberText): string[] {
  if (sources.length === 0) return ['There are no sources.']
  const rows = sources.map(({ id, kind, name, state, held, state_text }) => [
    ...[String(id), kind, name, state, held === 0 ? '' : `${number(held)} held`, state_text],
  ])
  const table = [['id', 'kind', 'name', 'state', '', ''], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** What a run came to. */
function runLines(name: string, run: SourceRun, number: NumberText): string[] {
  const { received, created, updated, unchanged, rejected, held, refused_before, ended } = run
  return [
    `${name}: ${run.state}, ${someRows(received, number)}`,
    `  created ${number(created)}, updated ${number(updated)}, unchanged ${number(unchanged)}, rejected ${number(rejected)}, held ${number(held)}, refused before ${number(refused_before)}, ended ${number(ended)}`,
    ...[run.text, ...run.notes].filter((line) => line).map((line) => `  ${line}`),
    ...(run.cost === null ? [] : [`  cost: ${run.cost}`]),
  ]
}

/** What a source would bring. */
function tryLines(name: string, { preview, lists, cost, notes }: TryResult, number: NumberText): string[] {
  const lines = [`${name}: ${preview ? `${someRows(preview.received, number)} read` : 'nothing was read'}`]
  for (const { row, fate, deal, reason, cells } of preview?.rows ?? []) {
    const refused = `${reason}: ${cells[preview?.mapping.title ?? ''] ?? ''}`
    const price = [deal?.price, deal?.currency].filter((part) => part).join(' ')
    const text = deal ? `${deal.asin} ${price} ${String(deal.title).slice(0, 80)}` : refused.slice(0, 160)
    lines.push(`  row ${number(row)}: ${fate === 'held' ? 'waits, ' : ''}${text}`)
    if (deal && reason !== null) lines.push(`    ${reason}`)
  }
  for (const [reason, count] of Object.entries(preview?.held_by_reason ?? {}))
    lines.push(`  held, ${reason}: ${number(count)}`)
  lines.push(...lists.map(({ path, rows }) => `  list ${path}: ${someRows(rows, number)}`))
  return [...lines, ...notes.map((note) => `  ${note}`), ...(cost === null ? [] : [`  cost: ${cost}`])]
}
