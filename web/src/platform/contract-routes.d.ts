declare module 'virtual:contract-routes' {
  /** The contract's methods and paths without its schemas; made by the build (`web/contract-routes.ts`). */
  export const routes: import('@orpc/contract').AnyContractRouter &
    import('@dealdeck/contract/preloads').PreloadedRoutes
}
