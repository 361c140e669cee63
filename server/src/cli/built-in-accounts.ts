import { Command } from 'commander'
import { findTakenNames, listAccounts, writeAccountsFile } from '../features/session/accounts.ts'
import { openDatabases } from '../platform/database/database.ts'
import { readSettings } from '../platform/settings.ts'

/** `built-in-accounts <file>`: accounts for BUILT_IN_ACCOUNTS, which sign in while the database is away. */
export function builtInAccountsCommand(): Command {
  return new Command('built-in-accounts')
    .description('make a file of accounts that sign in while the database is away')
    .argument('<file>', 'where to write it; only hashes of the passwords are in it')
    .action(async (file: string) => {
      const { DATABASE_URL } = readSettings(process.env)
      const accounts = await writeAccountsFile(file)
      console.log(`Their passwords, shown this once:\n\n${listAccounts(accounts)}`)
      const names = accounts.map(({ username }) => username)
      for (const line of await linesOfTaken(DATABASE_URL, names)) console.log(line)
      console.log(`Start Dealdeck with BUILT_IN_ACCOUNTS=${file}`)
    })
}

/** What the users table says of these names. The file is good without it, so it may also be away. */
async function linesOfTaken(url: string, names: string[]): Promise<string[]> {
  if (url === '') return ['Which of these names the users table has is not known: DATABASE_URL is not set.']
  const databases = openDatabases(url, () => undefined)
  try {
    const taken = await findTakenNames(databases, names)
    return taken.map(({ username, works }) =>
      works
        ? `The users table has ${username}: that account and its own password count, also while the database is away.`
        : `The users table has ${username}, who may not sign in there, and so may not here.`,
    )
  } catch (error) {
    const why = error instanceof Error ? error.message || 'no answer' : String(error)
    return [`Which of these names the users table has is not known: the database can't be asked (${why}).`]
  } finally {
    await databases.close()
  }
}
