import { laterApi } from '../../platform/later-client.ts'

/** The dashboard's figures, counted by the server; asked for again twice a minute and after every change made here. */
export const adminStatsQuery = laterApi.admin.stats.queryOptions({ refetchInterval: 30_000 })
