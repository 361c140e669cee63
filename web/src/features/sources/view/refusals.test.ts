import { expect, test } from 'vitest'
import { toApiError } from '../../../platform/api-error.ts'
import { refusalOf } from './refusals.ts'

const isFormField = (name: string) =>
  ['name', 'settings.url', 'settings.key', 'settings.words'].includes(name)
const refused = (status: number, body: object, isNew = false) =>
  refusalOf(toApiError(status, body), isNew, isFormField)

test('what is about a field is said there, a secret’s and a list’s too', () => {
  const fields = {
    'settings.url': 'must be an address',
    'secrets.key': 'must be given',
    'settings.words.2': 'no',
  }
  expect(refused(400, { code: 'INVALID_INPUT', message: 'x', fields })).toEqual({
    ...{ text: '', what: 'other' },
    fields: { 'settings.url': 'Must be an address', 'settings.key': 'Must be given', 'settings.words': 'No' },
  })
})

test('what the form has no field for is said beside it', () => {
  const fields = { secrets: 'can not be read' }
  const { text } = refused(422, { code: 'UNPROCESSABLE', message: 'Please enter them again.', fields })
  expect(text).toBe('Not saved. Please enter them again. secrets: Can not be read')
  expect(refusalOf(new TypeError('x'), false, isFormField).text).toMatch(/^Not saved\. Please check/)
})

test('what somebody else did meanwhile is told apart from what is wrong', () => {
  expect(refused(404, { code: 'NOT_FOUND', message: 'x' }).what).toBe('gone')
  expect(refused(409, { code: 'CONFLICT', message: 'x' }).what).toBe('conflict')
  expect(refused(409, { code: 'CONFLICT', message: 'x', fields: { name: 'is taken' } })).toEqual({
    ...{ text: '', what: 'other', fields: { name: 'Is taken' } },
  })
  // Nothing is there that somebody could have changed.
  expect(refused(409, { code: 'CONFLICT', message: 'There are 500.' }, true)).toMatchObject({
    ...{ what: 'other', text: 'Not saved. There are 500.' },
  })
})
