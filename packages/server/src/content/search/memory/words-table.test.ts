// Guarantees: words in memory give the same results as reading every document, after any order of writes and removals.
// Only the requested audiences are searched, and the best results come first.
import { expect, it } from 'vitest'
import type { WordsQuery } from './words-search.ts'
import { createWordsTable, putWords, removeWords, searchWords, type WordsRow, type WordsTable } from './words-table.ts'

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const vocabulary = Array.from({ length: 60 }, (_, place) => `w${place.toString(36)}`)
/** Some words are in most documents, others in hardly any, so that both search plans are used. */
const pickWord = (): string => vocabulary[Math.floor(vocabulary.length * Math.random() ** 4)] ?? ''
const some = (most: number): string[] => [
  ...new Set(Array.from({ length: Math.floor(Math.random() * most) }, pickWord)),
]
const kinds = ['app', 'flow']
const audiences = ['a', 'b', 'c']

const randomRow = (id: string): WordsRow => {
  const heads = some(5)
  return { id, kind: pick(kinds), audience: pick(audiences), heads, words: [...new Set([...heads, ...some(20)])] }
}

const ask = (words: readonly string[], change: Partial<WordsQuery> = {}): WordsQuery => ({
  words: words.map((word, place) => ({ word, inHead: 10 * (place + 1), elsewhere: 8 * (place + 1) })),
  beginning: null,
  limit: 10_000,
  enough: 10_000,
  ...change,
})

const hits = ({ words, heads }: WordsRow, word: string): number =>
  heads.includes(word) ? 2 : words.includes(word) ? 1 : 0

/** The reference implementation, which reads every document. */
const points = (row: WordsRow, { words, beginning }: WordsQuery): { count: number; sum: number } => {
  const got = words.map(({ word, inHead, elsewhere }, place) => {
    const begins =
      place === words.length - 1 && beginning !== null && row.words.some((one) => one.startsWith(beginning))
    return [begins ? 1 : 0, elsewhere, inHead][hits(row, word)] ?? 0
  })
  return { count: got.filter((one) => one > 0).length, sum: got.reduce((sum, one) => sum + one, 0) }
}

/** Documents with every word first, then by points, shorter head and id. */
const bestOf = (rows: readonly WordsRow[], asked: WordsQuery): string[] =>
  rows
    .map((row) => ({ row, ...points(row, asked) }))
    .filter(({ count }) => count > 0)
    .map(({ row, count, sum }) => ({
      id: row.id,
      rank: (count === asked.words.length ? 1e9 : 0) + sum * 1e4 - row.heads.length,
    }))
    .sort((a, b) => b.rank - a.rank || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)

/** A string that sorts directly before a word without being its prefix, as `visibility` sorts before `visibl`. */
const rightBefore = (word: string): string =>
  `${word.slice(0, -1)}${String.fromCharCode(word.charCodeAt(word.length - 1) - 1)}~`

const expectSame = (table: WordsTable, rows: ReadonlyMap<string, WordsRow>): void => {
  for (let turn = 0; turn < 20; turn += 1) {
    const words = [...new Set([pick(vocabulary), pick(vocabulary), pick(vocabulary)])]
    const asked = ask(words, { beginning: pick([null, 'w', 'w1', rightBefore(words.at(-1) ?? '')]) })
    const who = new Map([[pick(kinds), [pick(audiences), 'nobody']]])
    const seen = [...rows.values()].filter(({ kind, audience }) => who.get(kind)?.includes(audience))
    const expected = bestOf(seen, asked)
    expect(searchWords(table, who, asked).holding).toEqual(expected)
    expect(searchWords(table, who, { ...asked, limit: 3 }).holding).toEqual(expected.slice(0, 3))
    const word = pick(vocabulary)
    expect(searchWords(table, who, ask([word])).known).toEqual([seen.some((row) => row.words.includes(word))])
  }
  const { hitsOf } = searchWords(table, new Map(), ask(vocabulary))
  for (const [id, row] of rows) expect(hitsOf(id)).toEqual(vocabulary.map((word) => hits(row, word)))
}

it('same results as reading every document', () => {
  const table = createWordsTable()
  const rows = new Map<string, WordsRow>()
  for (let step = 0; step < 600; step += 1) {
    const ids = [
      ...new Set(Array.from({ length: pick([1, 1, 1, 40]) }, () => `row ${Math.floor(Math.random() * 900)}`)),
    ]
    if (Math.random() < 0.3)
      for (const id of ids) {
        removeWords(table, id)
        rows.delete(id)
      }
    else {
      const put = ids.map(randomRow)
      putWords(table, put)
      for (const row of put) rows.set(row.id, row)
    }
    if (step % 150 === 149) expectSame(table, rows)
  }
  for (const id of rows.keys()) removeWords(table, id)
  expect(table).toEqual(createWordsTable())
})

it('common and rare words, in heads and elsewhere: same results as reading every document', () => {
  const shares = [0.002, 0.02, 0.2, 0.9]
  const words = shares.flatMap((inHead) =>
    shares.map((elsewhere) => ({ word: `w${inHead} ${elsewhere}`, inHead, elsewhere })),
  )
  const chosen = (share: 'inHead' | 'elsewhere'): string[] =>
    words.filter((one) => Math.random() < one[share] / 2).map(({ word }) => word)
  const table = createWordsTable()
  const all = Array.from({ length: 6_000 }, (_, place): WordsRow => {
    const heads = chosen('inHead')
    const id = `row ${(place * 7) % 6_000}`
    return { id, kind: 'app', audience: 'a', heads, words: [...new Set([...heads, ...chosen('elsewhere')])] }
  })
  for (let start = 0; start < all.length; start += 250) putWords(table, all.slice(start, start + 250))
  const rows = all.filter(() => Math.random() < 0.9)
  const left = new Set(rows)
  for (const row of all) if (!left.has(row)) removeWords(table, row.id)
  for (let turn = 0; turn < 60; turn += 1) {
    const asked = ask([...new Set(Array.from({ length: pick([1, 2, 3, 4]) }, () => pick(words).word))], {
      beginning: pick([null, 'w0.002', 'w0.2']),
      limit: pick([1, 5, 20]),
    })
    expect(searchWords(table, new Map([['app', ['a']]]), asked).holding).toEqual(
      bestOf(rows, asked).slice(0, asked.limit),
    )
  }
})

it('many shrunken pieces at once do not merge into one that is too large', () => {
  const table = createWordsTable()
  const row = (id: string): WordsRow => ({ id, kind: 'app', audience: 'a', words: [`word of ${id}`], heads: [] })
  const most = 17 * 4_096
  for (let start = 0; start < most; start += 4_096)
    putWords(
      table,
      Array.from({ length: 4_096 }, (_, place) => row(`${start + place}`)),
    )
  for (let start = 0; start < most; start += 4_096) removeWords(table, `${start}`)
  putWords(table, [row('one more')])
  for (const id of ['1', `${most - 1}`, 'one more'])
    expect(searchWords(table, new Map([['app', ['a']]]), ask([`word of ${id}`])).holding).toEqual([id])
})

it('enough documents with every word suppress the others', () => {
  const table = createWordsTable()
  const row = (id: string, words: string[]): WordsRow => ({ id, kind: 'app', audience: 'a', words, heads: [] })
  putWords(table, [row('both', ['x', 'y']), row('one', ['x']), row('other', ['y'])])
  const find = (enough: number) => searchWords(table, new Map([['app', ['a']]]), ask(['x', 'y'], { enough })).holding
  expect(find(1)).toEqual(['both'])
  expect(find(2)).toEqual(['both', 'other', 'one'])
})

it('pieces of many single writes are merged, so that a search reads few', () => {
  const table = createWordsTable()
  for (let place = 0; place < 1_000; place += 1)
    putWords(table, [{ ...randomRow(`row ${place}`), kind: 'app', audience: 'a' }])
  expect([...table.groups.values()].map(({ pieces }) => pieces.length)[0]).toBeLessThan(30)
})
