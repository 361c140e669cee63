import { z } from 'zod'

/** A yes/no in a query string: `true`, `false`, `1` or `0`. */
export const queryBoolean = z.union(
  [z.boolean(), z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')],
  // The union's own word counts: what its parts say of a wrong text is not shown.
  { error: 'must be true or false' },
)

/** An amount of money in a query string, in the marketplace's currency, at most two decimals. */
export const queryMoney = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^\d{1,8}(\.\d{1,2})?$/)
        .transform(Number),
    ],
    {
      error: 'must be an amount such as 19.99',
    },
  )
  .pipe(z.number().min(0).max(99_999_999.99))

/** A whole number in a query string or path. */
export const queryInteger = (min: number, max: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d{1,16}$/)
          .transform(Number),
      ],
      {
        error: `must be a whole number from ${min} to ${max}`,
      },
    )
    .pipe(z.number().int().min(min).max(max))

/** A rating in a query string, in stars from 0 to 5 with at most one decimal. */
export const queryRating = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^[0-5](\.\d)?$/)
        .transform(Number),
    ],
    { error: 'must be a rating from 0 to 5 such as 4.5' },
  )
  .pipe(z.number().min(0).max(5).multipleOf(0.1))

/** The id of a row, in a path. */
export const rowId = queryInteger(1, Number.MAX_SAFE_INTEGER)
