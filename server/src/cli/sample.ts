import { Command } from 'commander'
import { loadSampleDeals, removeSampleDeals } from '../features/deals/writing/samples.ts'
import { systemClock } from '../platform/clock.ts'
import { withDatabases } from './database.ts'

/** `sample load|remove`: the made-up deals of a new installation. */
export function sampleCommand(): Command {
  const command = new Command('sample').description('the made-up deals of a new installation')
  command
    .command('load')
    .description('put the sample deals into an installation that has no deals')
    .action(async () => {
      const count = await withDatabases(({ databases, settings }) =>
        loadSampleDeals(databases, settings, systemClock),
      )
      if (count === 0) throw new Error('There are deals already; sample deals never mix with them.')
      console.log(`Loaded ${count} sample deals.`)
    })
  command
    .command('remove')
    .description('remove the sample deals, and nothing else')
    .action(async () => {
      const count = await withDatabases(({ databases }) => removeSampleDeals(databases))
      console.log(`Removed ${count} sample deals.`)
    })
  return command
}
