import pLimit from 'p-limit'

/**
 * So many messages are taken, made ready or written down at once; the others that are under way wait for their receivers. All at once, as
 * behind an import that many searches find something in, would keep readers of the site waiting for tenths of a second.
 */
export const atWork = pLimit(4)
