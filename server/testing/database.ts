import { inject } from 'vitest'
import { type Databases, openDatabases } from '../src/platform/database/database.ts'
import { whenDone } from './cleanup.ts'
import { cloneTemplate, dropDatabase } from './template.ts'

/**
 * A migrated, empty database of one's own, dropped when the test, or the file that called this at its top, is done:
 * `const databases = await testDatabases()`.
 */
export async function testDatabases(): Promise<Databases> {
  const clusterUrl = inject('clusterUrl')
  const url = await cloneTemplate(clusterUrl, inject('templateName'))
  let closing = false
  const databases = openDatabases(url, (error) => {
    // The drop may overtake the goodbye of a closed connection.
    if (!closing) throw error
  })
  whenDone(async () => {
    closing = true
    await databases.close()
    await dropDatabase(clusterUrl, url)
  })
  return databases
}
