// Guarantees: a cell survives commas, quotes and line breaks, and no cell is a formula.
import { expect, it } from 'vitest'
import { csvText } from './csv.ts'

it('quotes what needs quotes', () => {
  expect(csvText(['name', 'runs'], [['a, "b"\nc', 3]])).toBe('name,runs\r\n"a, ""b""\nc",3\r\n')
})

it('leaves empty values empty', () => {
  expect(csvText(['a', 'b', 'c'], [[null, undefined, 0]])).toBe('a,b,c\r\n,,0\r\n')
})

it.each(['=1+1', '+1', '-1', '@sum', '\t=1'])('makes no formula of %j', (text) => {
  expect(csvText(['a'], [[text]])).toBe(`a\r\n'${text}\r\n`)
})

it('keeps negative numbers', () => {
  expect(csvText(['a'], [[-5]])).toBe('a\r\n-5\r\n')
})
