import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../src/platform/database/migrations.ts'

/** Makes a migrated database to clone from; returns its name. Its name is its own, so several runs may share a cluster. */
export async function createTemplate(clusterUrl: string): Promise<string> {
  const name = uniqueName('dealdeck_template')
  await onCluster(clusterUrl, `create database ${name} template template0 encoding 'UTF8'`)
  await migrate(databaseUrl(clusterUrl, name))
  return name
}

/** Clones a template; returns the address of the new database. */
export async function cloneTemplate(clusterUrl: string, templateName: string): Promise<string> {
  const name = uniqueName('dealdeck_test')
  await onCluster(clusterUrl, `create database ${name} template ${templateName}`)
  return databaseUrl(clusterUrl, name)
}

/** Drops a database by name or address, ending whatever is still connected to it. */
export async function dropDatabase(clusterUrl: string, nameOrUrl: string): Promise<void> {
  const name = nameOrUrl.includes('://') ? new URL(nameOrUrl).pathname.slice(1) : nameOrUrl
  await onCluster(clusterUrl, `drop database if exists ${name} with (force)`)
}

function uniqueName(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`
}

function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.href
}

async function onCluster(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
