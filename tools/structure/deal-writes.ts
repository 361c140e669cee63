import type { Repository } from './repository.ts'

/** Where every statement stands that writes a deal or an observed price. */
const room = 'server/src/features/deals/writing/'

const inSql =
  /\b(?:insert\s+into|update|delete\s+from|truncate|merge\s+into)\s+(?:only\s+)?(deals|price_points)\b/gi
const inKysely = /\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*['"](deals|price_points)\b/g

/** Statements that write deals or their prices from elsewhere in the application; tests make rows as they need them. */
export function checkDealWrites(repository: Repository): string[] {
  return repository
    .modules()
    .filter((path) => path.startsWith('server/src/') && !path.startsWith(room) && !path.includes('.test.'))
    .flatMap((path) =>
      [inSql, inKysely]
        .flatMap((pattern) => [...repository.text(path).matchAll(pattern)])
        .map(([, table]) => `${path}: writes ${table}; such statements stand in ${room}`),
    )
}
