import type { Progress } from '../view.ts'

/**
 * Keeps how far runs are. What was last said of one stays until what came of it is there: in between a run that has read all its rows
 * would seem to have read none.
 */
export function followProgress(put: (id: number, progress: Progress | null) => void) {
  const shown = new Set<number>()
  const over = new Set<number>()
  return {
    tell({ id, progress }: { id: number; progress: Progress | null }) {
      if (progress === null) {
        over.add(id)
        return
      }
      over.delete(id)
      shown.add(id)
      put(id, progress)
    },
    /** What was said meanwhile is lost: any run may be over. */
    lose() {
      for (const id of shown) over.add(id)
    },
    async look(refetch: () => Promise<unknown>) {
      const before = [...over]
      await refetch()
      for (const id of before) {
        if (!over.delete(id)) continue
        shown.delete(id)
        put(id, null)
      }
    },
    /** Nobody listens any more, so that nobody would hear of an end. */
    stop() {
      for (const id of shown) put(id, null)
    },
  }
}
