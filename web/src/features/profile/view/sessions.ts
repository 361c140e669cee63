import { laterApi } from '../../../platform/later-client.ts'

/** The sessions of the user's own account, page by page. Asked for again while they are looked at: one may be used elsewhere. */
export const sessionsQuery = laterApi.profile.sessions.infiniteOptions({
  input: (cursor: string | undefined) => ({ limit: 20, ...(cursor && { cursor }) }),
  initialPageParam: undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  staleTime: 0,
  refetchInterval: 30_000,
})
