import { runStatement, type Transaction } from './statement.ts'

// Who said something last is known of an import by the name of its source, which is therefore changed with it.
const byName = (name: string) => `source ${name}`

/** Gives the imports of a source its new name, in the transaction that renames it. */
export async function renameImports(client: Transaction, before: string, after: string): Promise<void> {
  const statement = 'update imports set handed_in_by = $2 where handed_in_by = $1'
  await runStatement(client, statement, [byName(before), byName(after)])
}

/** The same of imports by a run that began under another name. */
export async function renameImportsOf(client: Transaction, id: number, imports: readonly number[]) {
  if (imports.length === 0) return
  await runStatement(
    client,
    `update imports i set handed_in_by = 'source ' || s.name from sources s
     where s.id = $1 and i.id = any($2) and i.handed_in_by <> 'source ' || s.name`,
    [id, imports],
  )
}
