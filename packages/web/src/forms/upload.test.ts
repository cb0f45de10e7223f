// Guards: a refused upload says why, where that is explained and which request it was.
import { expect, it } from 'vitest'
import { refusalOf } from './upload.ts'

it('what the server says is kept whole', () => {
  const body = { type: 'https://millrace.example/errors/payload_too_large', title: 'Too large', detail: 'At most 1 MB' }
  expect(refusalOf(JSON.stringify(body), 413, 'r1')).toMatchObject({
    title: 'Too large',
    message: 'At most 1 MB',
    code: 'payload_too_large',
    page: '/errors/payload_too_large',
    requestId: 'r1',
  })
})

it.each([
  ['of another store', '<Error>AccessDenied</Error>'],
  ['that is JSON, but no problem', '"no"'],
])('an answer %s is shown as it is', (_, text) => {
  expect(refusalOf(text, 403, undefined)).toMatchObject({ title: 'The upload was refused', message: text, status: 403 })
})
