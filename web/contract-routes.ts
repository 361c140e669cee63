import { contract } from '@dealdeck/contract/api'
import { type AnyContractRouter, isContractProcedure, minifyContractRouter } from '@orpc/contract'
import type { Plugin } from 'vite'

const { deals, filters, home, session, settings, ...later } = contract
/** What is asked for by parts of the program that come later has a module of its own, which comes with them. */
const modules: Record<string, AnyContractRouter> = {
  '\0virtual:contract-routes': { deals, filters, home, session, settings },
  '\0virtual:later-routes': later,
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
      return router && `${routeMaker}\nexport const routes = ${write(minifyContractRouter(router))}`
    },
  }
}

/** What all routes have is said once. What routes say of themselves is for people and for the server. */
const routeMaker = `const r = (method, path, inputStructure) =>
  ({ '~orpc': { errorMap: {}, meta: {}, route: { method, path, inputStructure } } })`

function write(router: AnyContractRouter): string {
  if (!isContractProcedure(router))
    return `{${Object.entries(router).map(([name, part]) => `${name}: ${write(part)}`)}}`
  const { method, path, inputStructure } = router['~orpc'].route
  return `r(${[method, path, inputStructure].filter(Boolean).map((part) => JSON.stringify(part))})`
}
