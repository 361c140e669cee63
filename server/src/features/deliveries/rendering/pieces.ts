/** Asked for at once: of a list of thousands others come in between. */
const atOnce = 100

/** What becomes of each, in their order, some of them at a time. */
export async function inPieces<Each, Value>(
  all: readonly Each[],
  work: (each: Each) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = []
  for (let from = 0; from < all.length; from += atOnce)
    values.push(...(await Promise.all(all.slice(from, from + atOnce).map(work))))
  return values
}
