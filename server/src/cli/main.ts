import { Command, CommanderError } from 'commander'
import { backupCommand } from './backup.ts'
import { builtInAccountsCommand } from './built-in-accounts.ts'
import { createUserCommand } from './create-user.ts'
import { deliveriesCommand } from './deliveries.ts'
import { importCommand } from './import.ts'
import { pricesCommand } from './prices.ts'
import { restoreCommand } from './restore.ts'
import { rotateKeyCommand } from './rotate-key.ts'
import { sampleCommand } from './sample.ts'
import { sourcesCommand } from './sources.ts'

const program = new Command('npm run cli --')
  .description('Dealdeck from the command line. Settings are read from the environment, as by npm start.')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(--help shows how)')
  .exitOverride()

for (const command of [
  importCommand(),
  createUserCommand(),
  builtInAccountsCommand(),
  backupCommand(),
  restoreCommand(),
  rotateKeyCommand(),
  pricesCommand(),
  sampleCommand(),
  sourcesCommand(),
  deliveriesCommand(),
]) {
  program.addCommand(command.copyInheritedSettings(program))
}

try {
  await program.parseAsync()
  process.exit(0)
} catch (error) {
  // Commander has said already what it didn't understand; its code for a help that was asked for is 0.
  if (error instanceof CommanderError) process.exit(error.exitCode)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
