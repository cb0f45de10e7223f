// Guarantees: queries do not wait for all documents, nor documents for all queries. Texts that are embedded together
// get the same vectors as alone, unreadable texts get zero vectors, and waiting calls are rejected when the thread
// ends. The next call starts the thread again.
import { afterAll, expect, it } from 'vitest'
import { createThreadEmbedder, takeTurn } from './thread.ts'
import { cosineOf, magnitudeOf } from './vectors.ts'

const embedder = createThreadEmbedder()
afterAll(() => embedder.close())

const call = (...texts: string[]) => ({ texts, vectors: [] as Float32Array[] })

it.each([
  { claim: 'nothing waits', calls: [], last: 'queries', sent: null },
  { claim: 'queries are embedded together', calls: [call('a'), call('b')], last: 'queries', sent: ['a', 'b'] },
  {
    claim: 'a list is embedded in pieces',
    calls: [call('a', 'b', 'c', 'd', 'e', 'f')],
    last: 'documents',
    sent: ['a', 'b', 'c', 'd'],
  },
  {
    claim: 'queries come after a piece, whatever the order of the calls',
    calls: [call('a', 'b'), call('q'), call('r')],
    last: 'documents',
    sent: ['q', 'r'],
  },
  { claim: 'a piece comes after queries', calls: [call('q'), call('a', 'b')], last: 'queries', sent: ['a', 'b'] },
] as const)('$claim', ({ calls, last, sent }) => {
  const turn = takeTurn(calls, last)
  expect(turn?.parts.flatMap(({ texts }) => texts) ?? null).toEqual(sent)
})

it('a list continues where it stopped', () => {
  const begun = { texts: ['a', 'b', 'c'], vectors: [new Float32Array(1), new Float32Array(1)] }
  expect(takeTurn([begun], 'queries')?.parts).toEqual([{ call: begun, texts: ['c'] }])
})

it('texts embedded together get the same vectors as alone, and unreadable texts get zero vectors', async () => {
  const texts = ['a cat on the roof', 'wages of May', 'how to restart the server', 'bread', 'a long walk home by night']
  const [list, ...alone] = await Promise.all([
    embedder.embed(texts, 60_000),
    ...texts.map((text) => embedder.embed([text], 60_000)),
  ])
  expect(list).toHaveLength(texts.length)
  for (const [index, [vector]] of alone.entries())
    expect(cosineOf(vector ?? new Float32Array(), list[index] ?? new Float32Array())).toBeGreaterThan(0.999)
  expect(cosineOf(alone[0]?.[0] ?? new Float32Array(), list[1] ?? new Float32Array())).toBeLessThan(0.9)
  const strange = ['日本語の料理', 'こんにちは', 'привет мир', 'xqzwvk jjfkdls', '+49 170 5551234', '4711', '😀', '']
  for (const vector of await embedder.embed(strange, 60_000)) expect(magnitudeOf(vector)).toBe(0)
  const [mixed, plain] = await embedder.embed(['日本語 a cat on the 屋根 roof', texts[0] ?? ''], 60_000)
  expect(cosineOf(mixed ?? new Float32Array(), plain ?? new Float32Array())).toBeGreaterThan(0.999)
  const refused = expect(embedder.embed(texts, 60_000)).rejects.toThrow('The server stops')
  await embedder.close()
  await refused
  await expect(embedder.embed(['late'], 1)).rejects.toThrow('Embedding took too long')
  expect(await embedder.embed(['again'], 60_000)).toHaveLength(1)
})
