/**
 * Does each of these things over and over for as long as `work` takes, and returns what came of the work. They are over by
 * then, also where the work has failed, and what one of them throws is thrown.
 */
export async function beside<T>(things: (() => Promise<unknown>)[], work: () => Promise<T>): Promise<T> {
  let isOver = false
  const repeated = Promise.all(
    things.map(async (thing) => {
      while (!isOver) await thing()
    }),
  )
  // Thrown below: until the work is done nobody waits for it.
  repeated.catch(() => {})
  try {
    return await work()
  } finally {
    isOver = true
    await repeated
  }
}
