import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query'
import { laterApi } from '../../platform/later-client.ts'

/** All words, the newest first; others may change them, so they are asked for again twice a minute. */
export const wordsQuery = laterApi.blacklist.list.queryOptions({
  input: { include_inactive: true },
  refetchInterval: 30_000,
})

/** What a word would hide; nothing is asked for an empty one. */
export function previewQuery(word: string) {
  return laterApi.blacklist.preview.queryOptions({
    input: { word },
    enabled: word !== '',
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    gcTime: 60_000,
  })
}

/** Adding and (de)activating words; the list, the figures and the audit list follow. */
export function useWordChanges() {
  const queries = useQueryClient()
  const onSettled = async () => {
    await Promise.all(
      [laterApi.blacklist.key(), laterApi.admin.key(), laterApi.audit.key()].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    )
  }
  return {
    add: useMutation(laterApi.blacklist.create.mutationOptions({ onSettled })),
    setActive: useMutation(laterApi.blacklist.update.mutationOptions({ onSettled })),
  }
}
