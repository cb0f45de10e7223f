// Guards: the words in memory say what reading every document would say, through any order of writes and removals; only the
// audiences that are asked for are looked at, and the best come first.
import { expect, it } from 'vitest'
import type { Asked } from './words-search.ts'
import { askWords, createWordsTable, putWords, removeWords, type WordsRow, type WordsTable } from './words-table.ts'

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const vocabulary = Array.from({ length: 60 }, (_, place) => `w${place.toString(36)}`)
/** Some words are in most documents, others in hardly any: they are found by different ways. */
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

const ask = (words: readonly string[], change: Partial<Asked> = {}): Asked => ({
  words: words.map((word, place) => ({ word, inHead: 10 * (place + 1), elsewhere: 8 * (place + 1) })),
  beginning: null,
  limit: 10_000,
  enough: 10_000,
  ...change,
})

const hits = ({ words, heads }: WordsRow, word: string): number =>
  heads.includes(word) ? 2 : words.includes(word) ? 1 : 0

/** By reading every document. */
const points = (row: WordsRow, { words, beginning }: Asked): { count: number; sum: number } => {
  const got = words.map(({ word, inHead, elsewhere }, place) => {
    const begins =
      place === words.length - 1 && beginning !== null && row.words.some((one) => one.startsWith(beginning))
    return [begins ? 1 : 0, elsewhere, inHead][hits(row, word)] ?? 0
  })
  return { count: got.filter((one) => one > 0).length, sum: got.reduce((sum, one) => sum + one, 0) }
}

const expectSame = (table: WordsTable, rows: ReadonlyMap<string, WordsRow>): void => {
  for (let turn = 0; turn < 20; turn += 1) {
    const words = [...new Set([pick(vocabulary), pick(vocabulary), pick(vocabulary)])]
    const asked = ask(words, { beginning: pick([null, 'w', 'w1']) })
    const who = new Map([[pick(kinds), [pick(audiences), 'nobody']]])
    const seen = [...rows.values()].filter(({ kind, audience }) => who.get(kind)?.includes(audience))
    const rank = (row: WordsRow): number => {
      const { count, sum } = points(row, asked)
      return (count === words.length ? 1e9 : 0) + sum * 1e4 - row.heads.length
    }
    const expected = seen
      .filter((row) => points(row, asked).count > 0)
      .sort((a, b) => rank(b) - rank(a) || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id)
    expect(askWords(table, who, asked).holding).toEqual(expected)
    const first = askWords(table, who, { ...asked, limit: 3 }).holding.map((id) => rank(rows.get(id) as WordsRow))
    expect(first).toEqual(expected.slice(0, 3).map((id) => rank(rows.get(id) as WordsRow)))
    const word = pick(vocabulary)
    expect(askWords(table, who, ask([word])).known).toEqual([seen.some((row) => row.words.includes(word))])
  }
  const { hitsOf } = askWords(table, new Map(), ask(vocabulary))
  for (const [id, row] of rows) expect(hitsOf(id)).toEqual(vocabulary.map((word) => hits(row, word)))
}

it('the same as reading every document', () => {
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

it('of a common word and a rare one, the same as reading every document', () => {
  const table = createWordsTable()
  const chance = (share: number, word: string): string[] => (Math.random() < share ? [word] : [])
  const rows = Array.from({ length: 6_000 }, (_, place): WordsRow => {
    const heads = [...chance(0.2, 'common'), ...chance(0.01, 'rare'), `own${place}`]
    const words = [...new Set([...heads, ...chance(0.9, 'common'), ...chance(0.03, 'rare')])]
    return { id: `row ${place}`, kind: 'app', audience: 'a', heads, words }
  })
  for (let start = 0; start < rows.length; start += 250) putWords(table, rows.slice(start, start + 250))
  for (const words of [['rare', 'common'], ['common', 'rare'], ['common']]) {
    const asked = ask(words, { limit: 5 })
    const best = rows
      .map((row) => points(row, asked))
      .map(({ count, sum }) => (count === words.length ? 1_000 : 0) + sum)
      .sort((a, b) => b - a)
      .slice(0, 5)
    const found = askWords(table, new Map([['app', ['a']]]), asked).holding.map((id) => {
      const { count, sum } = points(rows.find((row) => row.id === id) as WordsRow, asked)
      return (count === words.length ? 1_000 : 0) + sum
    })
    expect(found).toEqual(best)
  }
})

it('what holds every word makes the rest needless, if there is enough of it', () => {
  const table = createWordsTable()
  const row = (id: string, words: string[]): WordsRow => ({ id, kind: 'app', audience: 'a', words, heads: [] })
  putWords(table, [row('both', ['x', 'y']), row('one', ['x']), row('other', ['y'])])
  const find = (enough: number) => askWords(table, new Map([['app', ['a']]]), ask(['x', 'y'], { enough })).holding
  expect(find(1)).toEqual(['both'])
  expect(find(2)).toEqual(['both', 'other', 'one'])
})

it('pieces of many single writes are put together: a search looks at few', () => {
  const table = createWordsTable()
  for (let place = 0; place < 1_000; place += 1)
    putWords(table, [{ ...randomRow(`row ${place}`), kind: 'app', audience: 'a' }])
  expect([...table.groups.values()].map(({ pieces }) => pieces.length)[0]).toBeLessThan(30)
})
