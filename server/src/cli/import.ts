import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ImportResult } from '@dealdeck/contract/ingest'
import { Command, Option } from 'commander'
import { type IngestDeps, importBody } from '../features/ingest/actions.ts'
import { ownFiles } from '../features/ingest/reading/limits.ts'
import { systemClock } from '../platform/clock.ts'
import { type NumberText, numberText } from '../platform/numbers.ts'
import { withDatabases } from './database.ts'
import { createProgress } from './progress.ts'

type Flags = {
  dryRun?: boolean
  map: string
  availability: string
  encoding: string
  missing: 'keep' | 'hide'
  history: 'keep' | 'none'
  confirm?: boolean
}

/** `import FILE…`: deals from CSV, NDJSON or JSON files, also packed with gzip; `-` is the standard input. */
export function importCommand(): Command {
  return new Command('import')
    .description('import deals from CSV, NDJSON or JSON files, also packed with gzip')
    .argument('<files...>', 'the files; - is the standard input')
    .option('--dry-run', 'say what would happen and change nothing')
    .option('--map <fields>', 'correct the recognised columns: price=colname,title=other', '')
    .option('--availability <text>', 'the availability of rows that state none, such as "In stock"', '')
    .option('--encoding <name>', 'the encoding of a text that is not UTF-8, such as shift_jis', '')
    .addOption(
      new Option(
        '--missing <what>',
        'what becomes of deals that the file leaves out; hide says that it lists everything',
      )
        .choices(['keep', 'hide'])
        .default('keep'),
    )
    .addOption(
      new Option('--history <what>', 'none: what the file says of prices may not be kept as history')
        .choices(['keep', 'none'])
        .default('keep'),
    )
    .option(
      '--confirm',
      'hide also when these are more than half of all deals, or refused rows may list some of them',
    )
    .action(async (files: string[], flags: Flags) => {
      if (flags.missing === 'hide' && files.length > 1)
        throw new Error('Only one file can list everything: --missing hide takes a single one.')
      const failures = await withDatabases(
        ({ databases, settings }) =>
          importFiles({ databases, marketplace: settings.MARKETPLACE, clock: systemClock }, files, flags),
        { onlyReads: flags.dryRun === true },
      )
      if (failures > 0) throw new Error(`${failures} of ${files.length} files brought no deals.`)
    })
}

/** Imports one file after the other; returns how many of them brought nothing. */
async function importFiles(deps: IngestDeps, files: readonly string[], flags: Flags): Promise<number> {
  let failures = 0
  const number = numberText(deps.marketplace)
  for (const file of files) {
    try {
      const result = await importFile(deps, file, flags)
      console.log(summary(file, result, number).join('\n'))
      if (result.created + result.updated + result.unchanged === 0) failures += 1
    } catch (error) {
      failures += 1
      console.error(`${file}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return failures
}

async function importFile(deps: IngestDeps, file: string, flags: Flags): Promise<ImportResult> {
  const isStandardInput = file === '-'
  const size = isStandardInput ? 0 : await sizeOf(file)
  const stream = isStandardInput ? process.stdin : createReadStream(file, { highWaterMark: 256 * 1024 })
  const progress = createProgress(file, size, numberText(deps.marketplace))
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      progress.read(chunk.length)
      yield chunk
    }
  }
  try {
    return await importBody(deps, counted(), {
      dry_run: flags.dryRun ?? false,
      map: flags.map,
      availability: flags.availability,
      encoding: flags.encoding,
      missing: flags.missing,
      history: flags.history,
      confirm: flags.confirm ?? false,
      source: isStandardInput ? 'standard input' : basename(file),
      onProgress: progress.report,
      limits: ownFiles,
    })
  } finally {
    progress.stop()
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined)
  if (!found || found.isDirectory()) throw new Error('There is no such file.')
  return found.size
}

/** What an import came to, line by line. */
export function summary(file: string, result: ImportResult, number: NumberText): string[] {
  const { received, created, updated, unchanged, superseded, rejected, rejected_total: refused } = result
  const lines = [
    `${file}: ${number(received)} rows${result.dry_run ? ', dry run: nothing was changed' : ''}`,
    `  created ${number(created)}, updated ${number(updated)}, unchanged ${number(unchanged)}, overtaken by a later row ${number(superseded)}, rejected ${number(refused)}`,
    `  columns: ${
      Object.entries(result.mapping)
        .map(([field, column]) => `${field} from ${column}`)
        .join(', ') || 'none recognised'
    }`,
    ...result.notes.map((note) => `  ${note}`),
  ]
  const reasons = Object.entries(result.rejected_by_reason).sort((a, b) => b[1] - a[1])
  for (const [reason, count] of reasons) lines.push(`  rejected, ${reason}: ${number(count)}`)
  for (const { row, asin, reason } of rejected.slice(0, 5)) {
    lines.push(`    row ${number(row)}${asin === null ? '' : ` (${asin})`}: ${reason}`)
  }
  const hidden = result.hidden_without_availability
  if (hidden > 0) {
    const accepted = created + updated + unchanged
    lines.push(
      `  ${hidden === accepted ? 'All' : number(hidden)} of these deals ${result.dry_run ? 'would be' : 'are'} hidden from the feed, because nothing says that they are available.`,
      '  If they are, import the file again with --availability "In stock".',
    )
  }
  if (result.hidden_over > 0)
    lines.push(`  ${number(result.hidden_over)} of these deals are over and not shown.`)
  return [...lines, ...missingLines(result, number)]
}

function missingLines({ missing, dry_run: isDry }: ImportResult, number: NumberText): string[] {
  if (missing === null) return []
  const { examples, reason } = missing
  const [hidden, visible] = [missing.hidden, missing.visible].map(number)
  const why = `${reason} The import asks for --confirm.`
  if (reason !== null && !isDry && missing.hidden === 0)
    return [`  missing in this list: no deals were hidden. ${why}`]
  return [
    `  missing in this list: ${hidden} of ${visible} deals ${isDry ? 'would be' : 'were'} hidden${missing.hidden > 0 ? ', such as' : ''}`,
    ...examples.slice(0, 5).map(({ asin, title }) => `    ${asin} ${title.slice(0, 80)}`),
    ...(reason !== null && isDry ? [`  ${why}`] : []),
  ]
}
