// Guarantees: the type of an artifact follows from its file name.
import { expect, it } from 'vitest'
import { typeOfFile } from './publish.tsx'

it.each([
  ['yield.html', 'html'],
  ['YIELD.HTM', 'html'],
  ['notes.md', 'markdown'],
  ['notes.txt', 'markdown'],
  ['photo.png', null],
  ['html', null],
])('%s is %s', (name, type) => {
  expect(typeOfFile(name)).toBe(type)
})
