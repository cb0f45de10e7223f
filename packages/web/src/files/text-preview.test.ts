// Guarantees: only text files are shown as text.
import { expect, it } from 'vitest'
import { isText } from './text-preview.tsx'

it.each(['text/plain', 'text/csv; charset=utf-8', 'application/json', 'application/ld+json', 'image/svg+xml'])(
  '%s is text',
  (type) => expect(isText(type)).toBe(true),
)

it.each(['image/png', 'application/pdf', 'application/zip', 'application/octet-stream', ''])('“%s” is not', (type) =>
  expect(isText(type)).toBe(false),
)
