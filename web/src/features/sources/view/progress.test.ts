import { expect, test } from 'vitest'
import type { Progress } from '../view.ts'
import { followProgress } from './progress.ts'

const reading: Progress = { phase: 'reading', rows: 50 }

function following() {
  const shown = new Map<number, Progress | null>()
  return { shown, ...followProgress((id, progress) => shown.set(id, progress)) }
}

test('how far a run is stays until what came of it is there', async () => {
  const { shown, tell, look } = following()
  tell({ id: 1, progress: reading })
  tell({ id: 1, progress: null })
  expect(shown.get(1)).toEqual(reading)

  let come = () => {}
  const looked = look(() => new Promise<void>((resolve) => (come = resolve)))
  expect(shown.get(1)).toEqual(reading)
  come()
  await looked
  expect(shown.get(1)).toBeNull()
})

test('a run that begins while the end of another is looked at keeps what is said of it', async () => {
  const { shown, tell, look } = following()
  tell({ id: 1, progress: null })
  await look(async () => tell({ id: 1, progress: reading }))
  expect(shown.get(1)).toEqual(reading)
})

test('a run whose end may have been missed is over with the next look, unless more is said of it', async () => {
  const { shown, tell, lose, look } = following()
  for (const id of [1, 2]) tell({ id, progress: reading })
  lose()
  tell({ id: 2, progress: reading })
  await look(async () => {})
  expect([...shown]).toEqual([
    [1, null],
    [2, reading],
  ])
})

test('once nobody listens nothing is left of runs under way', () => {
  const { shown, tell, stop } = following()
  tell({ id: 1, progress: reading })
  stop()
  expect(shown.get(1)).toBeNull()
})
