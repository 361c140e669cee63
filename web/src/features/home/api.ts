import { api } from '../../platform/client.ts'

/** Uptime and the chat's invitation. The uptime is counted in minutes, so it is asked for again once a minute. */
export const homeQuery = api.home.current.queryOptions({ refetchInterval: 60_000 })
