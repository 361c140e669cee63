import type { TestProject } from 'vitest/node'
import { startTestCluster } from './cluster.ts'
import { createTemplate, dropDatabase } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the cluster's maintenance database. */
    clusterUrl: string
    /** Name of the migrated database that every test file's own one is cloned from. */
    templateName: string
  }
}

/** Starts one PostgreSQL for the whole run and migrates the template in it; Vitest calls what it returns at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startTestCluster()
  const templateName = await createTemplate(cluster.url)
  project.provide('clusterUrl', cluster.url)
  project.provide('templateName', templateName)
  return async () => {
    await dropDatabase(cluster.url, templateName)
    await cluster.stop()
  }
}
