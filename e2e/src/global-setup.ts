import { buildWeb } from '../../server/src/platform/web/web-build.ts'
import { startTestCluster } from '../../server/testing/cluster.ts'
import { createTemplate, dropDatabase } from '../../server/testing/template.ts'

/** One PostgreSQL for the whole run, a migrated template in it, and the web app built before any server asks for it. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  await buildWeb(console.log, new AbortController().signal)
  const cluster = await startTestCluster()
  const template = await createTemplate(cluster.url)
  process.env.E2E_CLUSTER_URL = cluster.url
  process.env.E2E_TEMPLATE = template
  return async () => {
    await dropDatabase(cluster.url, template)
    await cluster.stop()
  }
}
