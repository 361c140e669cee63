import type { Condition } from '@dealdeck/query/question'
import type pg from 'pg'
import { AppError } from '../../../platform/errors.ts'
import { openCondition, searchGone, storedQuestion } from '../../searches/rules.ts'
import type { Viewer } from '../keeping/alert-rows.ts'

type Asked = { q?: string | undefined; search?: number | undefined }

/**
 * The condition of a question that somebody typed, or of a search that they have. Throws NOT_FOUND for another's, and UNPROCESSABLE where
 * it can't be understood or asks for hidden deals.
 */
export async function askedCondition(
  pool: Pick<pg.Pool, 'query'>,
  viewer: Viewer,
  { q = '', search }: Asked,
): Promise<Condition | null> {
  const question =
    search === undefined
      ? storedQuestion(q, null, viewer.isAdministrator).question
      : await readQuestion(pool, viewer, search)
  const condition = openCondition(question)
  if (condition !== undefined) return condition
  const message = 'This asks for hidden deals, of which nothing is ever sent.'
  throw new AppError('UNPROCESSABLE', message, {
    fields: { [search === undefined ? 'q' : 'search']: message },
  })
}

/** The question of a search that is somebody's own or shared. Throws NOT_FOUND. */
export async function readQuestion(
  pool: Pick<pg.Pool, 'query'>,
  { id: userId }: Viewer,
  id: number,
): Promise<string> {
  const { rows } = await pool.query<{ question: string }>(
    'select question from saved_searches where id = $1 and deleted_at is null and (is_shared or owner_id = $2)',
    [id, userId],
  )
  if (!rows[0]) throw searchGone()
  return rows[0].question
}
