import { signUpInputSchema } from '@dealdeck/contract/session'
import { Command } from 'commander'
import { createAccount, randomPassword } from '../features/session/accounts.ts'
import { withDatabases } from './database.ts'

/** `create-user <name> [--admin] [--password TEXT]`: an approved account, for the first administrator or a lost one. */
export function createUserCommand(): Command {
  return new Command('create-user')
    .description('make an account that can sign in at once')
    .argument('<name>', 'its username')
    .option('--admin', 'make it an administrator')
    .option('--password <text>', 'its password, at least 6 characters (otherwise one is made up and printed)')
    .action(async (name: string, options: { admin?: boolean; password?: string }) => {
      const isMadeUp = options.password === undefined
      const input = signUpInputSchema.safeParse({
        username: name,
        password: options.password ?? randomPassword(),
      })
      if (!input.success) throw new Error(input.error.issues[0]?.message)
      const { username, password } = input.data
      const role = options.admin ? 'admin' : 'user'
      await withDatabases(({ databases }) =>
        databases.durableDb
          .transaction()
          .execute((transaction) => createAccount(transaction, { username, password, role })),
      )
      const what = options.admin ? 'administrator' : 'user'
      console.log(`Made the ${what} ${username}.${isMadeUp ? ` Password: ${password}` : ''}`)
    })
}
