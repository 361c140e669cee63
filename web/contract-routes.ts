import { contract } from '@dealdeck/contract/api'
import { minifyContractRouter } from '@orpc/contract'
import type { Plugin } from 'vite'

const id = 'virtual:contract-routes'

/**
 * Gives the browser the contract's methods and paths as plain data, without its schemas.
 * The server checks every input anyway, and the schema library alone would be an eighth of the first load.
 */
export function contractRoutes(): Plugin {
  return {
    name: 'contract-routes',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (source) =>
      source === `\0${id}`
        ? `export const routes = ${JSON.stringify(minifyContractRouter(contract), withoutWords)}`
        : undefined,
  }
}

/** What routes say of themselves is for people and for the server. */
const withoutWords = (key: string, value: unknown) =>
  key === 'summary' ? undefined : key === 'meta' ? {} : value
