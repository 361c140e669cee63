import { Command, CommanderError } from 'commander'

const program = new Command('npm run cli --')
  .description('Dealdeck from the command line. Settings are read from the environment, as by npm start.')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(--help shows how)')
  .exitOverride()

/** What each command needs is loaded with it: all of it together takes most of the time of a short one. */
const commands: Record<string, () => Promise<Command>> = {
  import: async () => (await import('./import.ts')).importCommand(),
  'create-user': async () => (await import('./create-user.ts')).createUserCommand(),
  'built-in-accounts': async () => (await import('./built-in-accounts.ts')).builtInAccountsCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  'rotate-key': async () => (await import('./rotate-key.ts')).rotateKeyCommand(),
  prices: async () => (await import('./prices.ts')).pricesCommand(),
  sample: async () => (await import('./sample.ts')).sampleCommand(),
  sources: async () => (await import('./sources.ts')).sourcesCommand(),
  deliveries: async () => (await import('./deliveries.ts')).deliveriesCommand(),
}

const [, , name = ''] = process.argv
const named = Object.hasOwn(commands, name) ? commands[name] : undefined
for (const load of named ? [named] : Object.values(commands)) {
  const command = await load()
  program.addCommand(command.copyInheritedSettings(program))
}

// Whoever read what it says may go first; what was begun is done all the same, and the database closed.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

try {
  await program.parseAsync()
  process.exit(0)
} catch (error) {
  // Commander has said already what it didn't understand; its code for a help that was asked for is 0.
  if (error instanceof CommanderError) process.exit(error.exitCode)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
