type Pages = { data?: { pages: readonly unknown[] } | undefined; hasNextPage: boolean; isError: boolean }
type PagedQuery = Pick<Pages, 'data'> & {
  fetchNextPage(options: { cancelRefetch: boolean }): Promise<Pages>
}

/** A list that changes all the time is left to the next press. */
const mostTries = 5

/**
 * Fetches the next page of a list. Where a change has all of it fetched anew just then, which would end either of the two without a word, that
 * goes first and the page comes after it.
 */
export async function fetchMore(list: PagedQuery): Promise<void> {
  const before = list.data?.pages.length ?? 0
  for (let tried = 0; tried < mostTries; tried++) {
    const { data, hasNextPage, isError } = await list.fetchNextPage({ cancelRefetch: false })
    if (isError || !hasNextPage || (data?.pages.length ?? 0) > before) return
  }
}
