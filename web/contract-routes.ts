import { contract } from '@dealdeck/contract/api'
import { minifyContractRouter } from '@orpc/contract'
import type { Plugin } from 'vite'

const {
  alerts,
  blacklist,
  deliveries,
  images,
  ingest,
  links,
  me,
  prices,
  quarantine,
  searches,
  sources,
  users,
  ...first
} = contract
/** What is asked for by parts of the program that come later has a module of its own, which comes with them. */
const modules: Record<string, object> = {
  '\0virtual:contract-routes': first,
  '\0virtual:later-routes': {
    ...{ alerts, blacklist, deliveries, images, ingest, links },
    ...{ me, prices, quarantine, searches, sources, users },
  },
}

/**
 * Gives the browser the contract's methods and paths as plain data, without its schemas.
 * The server checks every input anyway, and the schema library alone would be an eighth of the first load.
 */
export function contractRoutes(): Plugin {
  return {
    name: 'contract-routes',
    resolveId: (source) => (`\0${source}` in modules ? `\0${source}` : undefined),
    load(source) {
      const router = modules[source]
      // The cast holds: these are parts of the contract.
      return router && `export const routes = ${write(router as typeof contract)}`
    },
  }
}

const write = (router: Parameters<typeof minifyContractRouter>[0]) =>
  JSON.stringify(minifyContractRouter(router), withoutWords)

/** What routes say of themselves is for people and for the server. */
const withoutWords = (key: string, value: unknown) =>
  key === 'summary' ? undefined : key === 'meta' ? {} : value
