import { Command } from 'commander'
import { listAccounts, writeAccountsFile } from '../features/session/accounts.ts'

/** `built-in-accounts <file>`: accounts for BUILT_IN_ACCOUNTS, which sign in while the database is away. */
export function builtInAccountsCommand(): Command {
  return new Command('built-in-accounts')
    .description('make a file of accounts that sign in while the database is away')
    .argument('<file>', 'where to write it; only hashes of the passwords are in it')
    .action(async (file: string) => {
      const accounts = await writeAccountsFile(file)
      console.log(`Their passwords, shown this once:\n\n${listAccounts(accounts)}`)
      console.log(`Start Dealdeck with BUILT_IN_ACCOUNTS=${file}`)
    })
}
