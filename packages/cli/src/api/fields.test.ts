// Guarantees: typed fields become values of their schema, or an error that names the problem.
import type { OperationHelp } from '@millrace/contract/operation-help'
import { expect, it } from 'vitest'
import { fieldLines, inputOfWords } from './fields.ts'

const help: OperationHelp = {
  summary: 'Grind',
  scope: 'mills:write',
  fields: [
    { name: 'mill_id', in: 'path', kind: 'string', required: true },
    { name: 'limit', in: 'query', kind: 'integer' },
    { name: 'grain', in: 'body', kind: 'rye|oat', description: 'The grain' },
    { name: 'force', in: 'body', kind: 'boolean' },
    { name: 'tags', in: 'body', kind: 'array' },
    { name: 'input', in: 'body', kind: 'object', required: true },
    { name: 'value', in: 'body', kind: 'json' },
  ],
}

it.each<{ words: string[]; expected: object }>([
  { words: ['--limit', '5'], expected: { query: { limit: 5 } } },
  { words: ['--grain=rye'], expected: { body: { grain: 'rye' } } },
  { words: ['--force', '--grain', 'oat'], expected: { body: { force: true, grain: 'oat' } } },
  { words: ['--force', 'false'], expected: { body: { force: false } } },
  { words: ['--tags', 'a', '--tags', 'b'], expected: { body: { tags: ['a', 'b'] } } },
  { words: ['--tags', '["a","b"]'], expected: { body: { tags: ['a', 'b'] } } },
  { words: ['--input', '{"a":1}'], expected: { body: { input: { a: 1 } } } },
  { words: ['--value', '[1]'], expected: { body: { value: [1] } } },
  { words: ['--value', 'call: 9007199254740993'], expected: { body: { value: 'call: 9007199254740993' } } },
  { words: ['--value', 'plain text'], expected: { body: { value: 'plain text' } } },
])('$words', ({ words, expected }) => {
  expect(inputOfWords(help, ['--mill-id', 'm', ...words])).toMatchObject({ path: { mill_id: 'm' }, ...expected })
})

it.each<{ words: string[]; says: string }>([
  { words: [], says: '--mill-id must be given' },
  { words: ['--mill_id'], says: '--mill-id needs a value' },
  { words: ['--fly', 'x'], says: 'Unknown field --fly' },
  { words: ['loose'], says: 'Unknown field loose' },
  { words: ['--limit', '9007199254740993'], says: '--limit cannot be represented exactly' },
  { words: ['--input', '{"a":[9007199254740993]}'], says: '--input.a.0 cannot be represented exactly' },
  { words: ['--limit', 'many'], says: '--limit takes a value of type integer' },
  { words: ['--input', '[1'], says: '--input takes a JSON object' },
])('$words is refused: $says', ({ words, says }) => {
  expect(() => inputOfWords(help, words)).toThrow(says)
})

it('shows the required fields first', () => {
  expect(fieldLines(help).slice(0, 3)).toEqual([
    '  --mill-id <string>  required.',
    '  --input <object>    required.',
    '  --limit <integer>',
  ])
})

it('suggests a similar field', () => {
  expect(() => inputOfWords(help, ['--limt', '5'])).toThrow(
    expect.objectContaining({ message: 'Unknown field --limt', hint: 'Did you mean --limit?' }),
  )
})
