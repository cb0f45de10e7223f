// Guarantees: text that is not JSON never becomes a value.
import { expect, it } from 'vitest'
import { jsonText, parseJson } from './json-text.ts'
import { uiStrings } from './strings.ts'

it.each([undefined, null, 0, '', [1], { a: { b: 1 } }])('reads back %j', (value) => {
  expect(parseJson(jsonText(value))).toEqual({ value })
})

it('reports invalid JSON and values of another kind', () => {
  expect(parseJson('{"a":')).toEqual({ fault: uiStrings.invalidJson })
  expect(parseJson('[1]', 'object')).toEqual({ fault: uiStrings.notAnObject })
  expect(parseJson('null', 'object')).toEqual({ fault: uiStrings.notAnObject })
  expect(parseJson(' ', 'object')).toEqual({ value: undefined })
})
