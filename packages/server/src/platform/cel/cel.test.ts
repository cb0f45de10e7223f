// Guarantees: integral JSON numbers work with integers and doubles, results are plain JSON, every failure is returned
// as an error, and no expression, pattern or input exceeds the budget of an evaluation.
import { describe, expect, test } from 'vitest'
import { celFault, evaluateCel } from './cel.ts'

const input = {
  n: 2,
  half: 0.5,
  big: 1e20,
  text: 'hello',
  none: null,
  list: [1, 2, 3],
  map: { a: 1, b: { c: [true] } },
  'odd key': 1,
}

describe('values', () => {
  test.each<[string, unknown]>([
    ['input.n + 1', 3],
    ['input.n + 1.0', 3],
    ['1.5 + input.n', 3.5],
    ['input.n - 0.5', 1.5],
    ['input.n * 1.5', 3],
    ['5 / input.n', 2],
    ['5.0 / input.n', 2.5],
    ['input.n / 4.0', 0.5],
    ['5 % input.n', 1],
    ['input.half % 2', 0.5],
    ['input.big + 1', 1e20],
    ['-input.n', -2],
    ['input.n == 2.0', true],
    ['input.n > 1.5 && input.half < 1', true],
    ['input.n in input.list', true],
    ['2.0 in input.list', true],
    ['input.list == [1, 2.0, 3]', true],
    ['input.map == {"a": 1, "b": {"c": [true]}}', true],
    ['input.list[input.n]', 3],
    ['input.map.b.c[0]', true],
    ['input["odd key"]', 1],
    ['input.text.startsWith("he") ? "yes" : "no"', 'yes'],
    ['size(input.text) + input.list.size()', 8],
    ['input.none == null', true],
    ['has(input.none)', true],
    ['"none" in input', true],
    ['has(input.q)', false],
    ['"a" in {"a": null}', true],
    ['input.list.map(x, x * 2)', [2, 4, 6]],
    ['input.list.filter(x, x > 1)', [2, 3]],
    ['input.list.map(x, x > 1, {"v": x})', [{ v: 2 }, { v: 3 }]],
    ['input.list.map(x, input.list.filter(y, y < x))', [[], [1], [1, 2]]],
    [
      'input.list.map(x, input.list.map(y, x * y))',
      [
        [1, 2, 3],
        [2, 4, 6],
        [3, 6, 9],
      ],
    ],
    ['input.list.all(x, x > 0) && input.list.exists(x, x == 2)', true],
    ['input.list.exists_one(x, x > 2)', true],
    ['input.map.map(k, k)', ['a', 'b']],
    ['input.list + [4]', [1, 2, 3, 4]],
    ['[1, 2].map(x, x) + [3].map(x, x)', [1, 2, 3]],
    ['{"a": input.n, 1: true}', { a: 2, '1': true }],
    ['string(input.n) + "!"', '2!'],
    ['int("42")', 42],
    ['9223372036854775807', '9223372036854775807'],
    ['9007199254740991', 9007199254740991],
    ['7u', 7],
    ['1.0 / 0.0', 'Infinity'],
    ['b"abc"', 'YWJj'],
    ['timestamp("2024-02-29T12:00:00Z") + duration("1h")', '2024-02-29T13:00:00Z'],
    ['duration("90s")', '90s'],
    ['input.text.matches("^h.*o$")', true],
    ['"123e4567-e89b-12d3-a456-426614174000".matches("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")', true],
    ['input', input],
  ])('%s', (expression, value) => expect(evaluateCel(expression, { input })).toEqual({ value }))
})

describe('errors', () => {
  test.each<[string, string]>([
    ['input.q', 'field not found: q'],
    ['input.list[3]', 'index 3 out of bounds'],
    ['input.n + "a"', 'no matching overload'],
    ['1 / 0', 'divide by zero'],
    ['9223372036854775807 + 1', 'overflow'],
    ['unknown', 'unresolved attribute'],
    ['unknown()', 'unbound function'],
    ['1 +', 'expecting'],
    ['', 'expecting'],
    ['input.text.matches("(")', 'missing closing'],
    ['input.text.matches("(?=h)")', 'invalid'],
    ['type(1)', 'JSON cannot represent'],
    ['@step(true, 1)', 'expecting'],
    ['x'.repeat(4_001), 'at most 4000 characters'],
    [`${'('.repeat(1_000)}1${')'.repeat(1_000)}`, 'nested too deeply'],
  ])('%.60s', (expression, error) => {
    expect(evaluateCel(expression, { input })).toEqual({ error: expect.stringContaining(error) })
  })

  test('an error is found without evaluation', () => {
    expect([celFault('input.q'), celFault('1 +')]).toEqual([undefined, expect.stringContaining('expecting')])
  })

  test('an input that is nested too deeply is rejected', () => {
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
    expect(evaluateCel('1', { input: deep })).toEqual({ error: expect.stringContaining('nested more than') })
  })
})

describe('expensive expressions are stopped', () => {
  const thousand = Array.from({ length: 1_000 }, (_, i) => i)
  const hostile = {
    list: thousand,
    long: Array.from({ length: 50_000 }, (_, i) => i),
    text: 'a'.repeat(1_000_000),
    ab: 'ab'.repeat(5_000),
    digits: '9'.repeat(500_000),
  }
  const tooMany = 'takes too many steps'
  test.each<[claim: string, expression: string, error: string]>([
    ['three nested loops', 'input.list.all(a, input.list.all(b, input.list.all(c, true)))', tooMany],
    ['the same, swallowed by an or', 'input.list.all(a, input.list.all(b, input.list.all(c, true))) || true', tooMany],
    ['short loops over a long list', 'input.long.all(a, input.long.exists(b, true))', tooMany],
    ['a table of tables', 'input.list.map(a, input.list.map(b, [a, b]))', tooMany],
    ['text doubled 250 times', `[input.ab]${'.map(x, x + x)'.repeat(250)}`, 'a text too long'],
    ['lists doubled 250 times', `[[1]]${'.map(x, x + x)'.repeat(250)}`, 'a list too long'],
    ['a tree of shared halves as the result', `[[1]]${'.map(x, [x, x])'.repeat(60)}`, 'result is too large'],
    [
      'two such trees are compared',
      `[[1]]${'.map(x, [x, x])'.repeat(60)} == [[1]]${'.map(x, [x, x])'.repeat(60)}`,
      tooMany,
    ],
    ['long texts read in a loop', 'input.list.map(x, size(input.text))', tooMany],
    ['long texts compared in a loop', 'input.list.all(x, input.text == input.text + "")', tooMany],
    ['a number of half a million digits', 'int(input.digits)', 'not a number'],
    ['a pattern with exploding states', 'input.ab.matches("(a|b)*a(a|b){300}[cd]")', tooMany],
    ['a pattern of huge size', `input.ab.matches("(${'[a-z]'.repeat(100)}){1000}")`, tooMany],
    ['a pattern in a loop', 'input.list.all(x, !input.ab.matches("(a|b)*c[cd]"))', tooMany],
  ])('%s', (_claim, expression, error) => {
    expect(evaluateCel(expression, { input: hostile })).toEqual({ error: expect.stringContaining(error) })
  })

  test('a pattern that causes catastrophic backtracking elsewhere is evaluated here', () => {
    expect(evaluateCel('input.s.matches("^(a+)+$")', { input: { s: `${'a'.repeat(20_000)}b` } })).toEqual({
      value: false,
    })
  })

  test('ordinary work on medium lists succeeds', () => {
    expect(
      evaluateCel('size(input.long.map(x, x + 1).filter(x, x > 10))', {
        input: { long: hostile.long.slice(0, 15_000) },
      }),
    ).toEqual({
      value: 14_990,
    })
  })

  test('an exhausted budget does not affect the next evaluation', () => {
    evaluateCel('input.list.all(a, input.list.all(b, input.list.all(c, true)))', { input: hostile })
    expect(evaluateCel('1 + 1', {})).toEqual({ value: 2 })
  })
})
