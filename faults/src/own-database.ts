import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { cloneTemplate, dropDatabase } from '../../server/testing/template.ts'

/** The address of a database of this test's own, migrated; `template0` makes an empty one. */
export async function ownDatabase(template = inject('templateName')): Promise<string> {
  const clusterUrl = inject('clusterUrl')
  const url = await cloneTemplate(clusterUrl, template)
  onTestFinished(() => dropDatabase(clusterUrl, url))
  return url
}

/** Asks a database, on a connection that is closed again. */
export async function ask<T extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<T>(sql, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
