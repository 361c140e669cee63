import { api } from '../../platform/client.ts'

/** The dashboard's figures, counted by the server; asked for again twice a minute and after every change made here. */
export const adminStatsQuery = api.admin.stats.queryOptions({ refetchInterval: 30_000 })
