/** Any element of an array. */
export const each = Symbol('each element')
export type Step = string | typeof each

/**
 * Where the rows stand: the steps that lead to their container (none for one at the top), `first` for the first array of
 * objects inside objects, `top` for the top-level values themselves.
 */
export type RowsLocation = readonly Step[] | 'first' | 'top'

/** How rows stand there, unless as an array of objects. */
export type RowsForm = {
  /** An object whose values are the rows; ASINs among its keys are theirs. */
  isKeyed?: boolean
  /** Rows are lists of cells, of these columns. */
  columns?: readonly string[]
  /** There are columns, each with the cells of all rows: no such thing is read. */
  isByColumn?: boolean
  /** Somebody has said where they stand. */
  isNamed?: boolean
}
