import { expect, test } from 'vitest'
import { DatabaseWatch } from './database-watch.ts'

test('imports outlive a moment of silence, and no move to another server', () => {
  const watch = new DatabaseWatch()
  const [socket, patient] = [watch.socket(), watch.patientSocket()]
  for (const one of [socket, patient]) one.on('error', () => undefined)
  watch.away()
  expect([socket.destroyed, patient.destroyed]).toEqual([true, false])
  watch.moved()
  expect(patient.destroyed).toBe(true)
  watch.answers({ isReadOnly: false })
})
