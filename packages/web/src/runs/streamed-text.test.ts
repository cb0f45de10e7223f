// Guarantees: streamed text is joined by the numbers of its deltas; missing text is marked, repeated text is not shown.
import { expect, it } from 'vitest'
import { addStreamedText, noStreamedText } from './streamed-text.ts'

const joined = (...seqs: number[]): string =>
  seqs.reduce((sum, seq) => addStreamedText(sum, { delta: { response: `${seq} ` }, seq }), noStreamedText).text

it.each([
  ['deltas in order are joined', [1, 2, 3], '1 2 3 '],
  ['a page that opens in the middle marks the missing beginning', [4, 5], '… 4 5 '],
  ['a reconnect marks the gap', [1, 2, 5, 6], '1 2 … 5 6 '],
  ['a repeated delta is ignored', [1, 2, 2, 3], '1 2 3 '],
  ['a new attempt starts again', [1, 2, 3, 1, 2], '1 2 '],
])('%s', (_claim, seqs, text) => expect(joined(...seqs)).toBe(text))
