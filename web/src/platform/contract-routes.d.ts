declare module 'virtual:contract-routes' {
  /** The contract's methods and paths without its schemas; made by the build (`web/contract-routes.ts`). */
  export const routes: import('@orpc/contract').AnyContractRouter &
    import('@dealdeck/contract/preloads').PreloadedRoutes
}

declare module 'virtual:later-routes' {
  /** The same of what no first screen asks for. */
  export const routes: import('@orpc/contract').AnyContractRouter &
    import('@dealdeck/contract/preloads').PreloadedLaterRoutes
}
