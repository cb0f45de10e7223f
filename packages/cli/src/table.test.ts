// Guarantees: a terminal gets columns within its width, a pipe gets full rows, and foreign text cannot move the cursor.
import { expect, test } from 'vitest'
import { safeText, table } from './table.ts'

const rows = [
  ['a1', 'failed', 'a title that is long'],
  ['b22', 'odd\u001B[2J', undefined],
]
const headings = ['ID', 'STATUS', 'TITLE']

test('a terminal sees columns', () =>
  expect(table(headings, rows, { columns: 80, colors: false }).split('\n')).toEqual([
    'ID   STATUS   TITLE',
    'a1   failed   a title that is long',
    'b22  odd\uFFFD[2J',
  ]))

test('a narrow terminal cuts the last column', () => {
  const drawn = table(headings, rows, { columns: 24, colors: false }).split('\n')
  expect(drawn[1]).toBe('a1   failed   a title t…')
  expect(drawn.every((line) => line.length <= 24)).toBe(true)
})

test('a pipe gets rows with tabs, without headings, uncut', () =>
  expect(table(headings, rows, { columns: null, colors: false })).toBe(
    'a1\tfailed\ta title that is long\nb22\todd\uFFFD[2J\t',
  ))

test('colors are for headings and statuses', () => {
  const drawn = table(headings, rows, { columns: 80, colors: true })
  expect(drawn).toContain('\u001B[1mID')
  expect(drawn).toContain('\u001B[31mfailed')
})

test.each([
  ['plain\n\ttext', 'plain\n\ttext'],
  ['a\r\nb', 'a\nb'],
  ['\u001B[2Jgone', '\uFFFD[2Jgone'],
  ['\u009B31m', '\uFFFD31m'],
  ['bar\rover', 'bar\uFFFDover'],
])('%j is shown as %j', (text, expected) => expect(safeText(text)).toBe(expected))

test('joins several lines of text in one cell', () =>
  expect(table(['ERROR'], [['Error: no\r\n    at run (app.js:5)']], { columns: null, colors: false })).toBe(
    'Error: no at run (app.js:5)',
  ))
