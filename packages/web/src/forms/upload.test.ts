// Guarantees: a rejected upload shows its reason, its documentation page and its request ID.
import { expect, it } from 'vitest'
import { strings } from './strings.ts'
import { uploadProblem } from './upload.ts'

it('keeps the problem document of the server', () => {
  const body = { type: 'https://millrace.example/errors/payload_too_large', title: 'Too large', detail: 'At most 1 MB' }
  expect(uploadProblem(JSON.stringify(body), 413, 'r1')).toMatchObject({
    title: 'Too large',
    message: 'At most 1 MB',
    code: 'payload_too_large',
    page: '/errors/payload_too_large',
    requestId: 'r1',
  })
})

it.each([
  ['of an external store', '<Error>AccessDenied</Error>'],
  ['that is JSON but not a problem document', '"no"'],
])('shows a response %s as text', (_, text) => {
  expect(uploadProblem(text, 403, undefined)).toMatchObject({
    title: strings.file.rejected,
    message: text,
    status: 403,
  })
})
