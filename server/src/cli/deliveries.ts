import { Command, Option } from 'commander'
import { type Listed, listLatest, retryDeliveries } from '../features/deliveries/sending/retrying.ts'
import { withDatabases } from './database.ts'

const states = ['held', 'queued', 'sending', 'sent', 'edited', 'skipped', 'dead']

/** `deliveries list`, `deliveries retry [ID…]`: what was sent, was not and why, and what is to be sent again. */
export function deliveriesCommand(): Command {
  const command = new Command('deliveries').description('messages to members and channels')
  command
    .command('list')
    .description('the newest messages, with their states')
    .addOption(new Option('--state <state>', 'those of one state only').choices(states))
    .option('--limit <number>', 'how many', readCount, 50)
    .action(({ state, limit }: { state?: string; limit: number }) =>
      withDatabases(
        async ({ databases }) => say(tableOf(await listLatest(databases, { state: state ?? null, limit }))),
        { onlyReads: true },
      ),
    )
  command
    .command('retry')
    .description(
      'send messages again that were given up or wait for their next try; the running application does it',
    )
    .argument('[ids...]', 'their ids, as list has them')
    .option('--dead', 'all that were given up')
    .action((ids: string[], { dead = false }: { dead?: boolean }) => retry(ids.map(readId), dead))
  return command
}

async function retry(ids: number[], isAll: boolean): Promise<void> {
  if (isAll === ids.length > 0)
    throw new Error('Name messages by their ids, or give --dead for all that were given up.')
  await withDatabases(async ({ databases }) => {
    const begun = await retryDeliveries(databases, isAll ? null : ids)
    const left = ids.filter((id) => !begun.includes(id))
    if (left.length > 0)
      throw new Error(`${left.join(', ')}: not there, or neither given up nor waiting for its next try.`)
    say([begun.length === 1 ? '1 message is sent again.' : `${begun.length} messages are sent again.`])
  })
}

function readId(text: string): number {
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text)
  throw new Error(`'${text}' is no id. deliveries list shows them.`)
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new Error(`'${text}' is no number of messages.`)
}

const say = (lines: string[]) => console.log(lines.join('\n'))

function tableOf(deliveries: readonly Listed[]): string[] {
  if (deliveries.length === 0) return ['There are no messages.']
  const rows = deliveries.map(({ id, created_at, kind, state, destination, owner, attempts, reason }) => [
    ...[String(id), created_at.toISOString().slice(0, 16).replace('T', ' '), kind, state],
    ...[`${destination} (${owner ?? 'group'})`, `${attempts} tried`, reason],
  ])
  const table = [['id', 'since (UTC)', 'kind', 'state', 'destination', '', ''], ...rows]
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
