// Guarantees: tables on a thread answer like tables on the event loop. Workspaces share the thread fairly, and a
// workspace with too many queries is refused. A closed thread answers earlier queries and refuses later ones.
import { expect, it } from 'vitest'
import { inWork } from '#platform/fairness/work.ts'
import { createTablesHere, createTablesOnThread, type HostedTables } from './hosted-tables.ts'
import type { Document, TablesQuery } from './tables.ts'

const length = 64
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const vocabulary = Array.from({ length: 40 }, (_, place) => `w${place.toString(36)}`)
const someWords = (most: number): string[] => [
  ...new Set(Array.from({ length: 1 + Math.floor(Math.random() * most) }, () => pick(vocabulary))),
]

/** Vectors from the database are views of a shared buffer. */
const shared = Int8Array.from({ length: 65_536 }, () => Math.floor(Math.random() * 255) - 127)
const randomComponents = (): Int8Array => {
  const start = Math.floor(Math.random() * (shared.length - length))
  return shared.subarray(start, start + length)
}

const randomDocument = (id: string): Document => {
  const heads = someWords(4)
  return {
    id,
    kind: pick(['app', 'flow']),
    audience: pick(['a', 'b']),
    words: JSON.stringify([...new Set([...heads, ...someWords(12)])]),
    heads: JSON.stringify(heads),
    shown: JSON.stringify({ name: id }),
    components: Math.random() < 0.2 ? null : randomComponents(),
  }
}

const randomQuestion = (): TablesQuery => ({
  audiences: new Map([[pick(['app', 'flow']), [pick(['a', 'b']), 'nobody']]]),
  asked: {
    words: someWords(3).map((word) => ({ word, inHead: 10, elsewhere: 8 })),
    beginning: pick([null, 'w1']),
    limit: 20,
    enough: 5,
  },
  vector: pick([null, Float32Array.from({ length }, () => Math.random() * 2 - 1), new Float32Array(length + 1)]),
  unrelated: pick([-1, 0, 0.2]),
})

const withThread = async (work: (tables: HostedTables) => Promise<void>): Promise<void> => {
  const tables = createTablesOnThread(length)
  try {
    await work(tables)
  } finally {
    await tables.close()
  }
}

it('a thread answers like the event loop', () =>
  withThread(async (thread) => {
    const here = createTablesHere(length)
    for (let round = 0; round < 20; round += 1) {
      const documents = Array.from({ length: 40 }, () => randomDocument(`row ${Math.floor(Math.random() * 400)}`))
      const distinct = [...new Map(documents.map((one) => [one.id, one])).values()]
      const gone = Array.from({ length: 5 }, () => `row ${Math.floor(Math.random() * 400)}`)
      for (const tables of [here, thread]) {
        await tables.put(distinct)
        await tables.remove(gone)
      }
      expect(await thread.size()).toEqual(await here.size())
      for (let turn = 0; turn < 10; turn += 1) {
        const question = randomQuestion()
        const answer = await here.find(question)
        expect(await thread.find(question)).toEqual(answer)
        expect(answer.isCompared).toBe(question.vector?.length === length)
        const vector = new Float32Array(length).fill(1)
        expect(await thread.compare(vector, ['row 1', 'none'])).toEqual(await here.compare(vector, ['row 1', 'none']))
      }
    }
    expect((await here.size()).documents).toBeGreaterThan(100)
  }))

it('workspaces are served in turn, and one with too many queries is refused', () =>
  withThread(async (thread) => {
    await thread.put(Array.from({ length: 200 }, (_, place) => randomDocument(`row ${place}`)))
    const ended: string[] = []
    const ask = (tenant: string) =>
      inWork({ kind: 'request', tenant }, () => thread.find(randomQuestion())).then(
        () => ended.push(tenant),
        (error: { code?: string }) => ended.push(`${tenant} ${error.code}`),
      )
    const flood = Array.from({ length: 100 }, () => ask('flooding'))
    await Promise.all([...flood, ask('other')])
    expect(ended.filter((one) => one === 'flooding rate_limited').length).toBeGreaterThan(20)
    const answered = ended.filter((one) => !one.includes(' '))
    expect(answered.indexOf('other')).toBeLessThan(5)
    expect(answered.length).toBeGreaterThan(60)
  }))

it('a closed thread answers earlier queries and refuses later ones', async () => {
  const thread = createTablesOnThread(length)
  const put = thread.put([randomDocument('row')])
  const size = thread.size()
  await thread.close()
  await put
  expect(await size).toMatchObject({ documents: 1 })
  expect(thread.isLost()).toBe(true)
  await expect(thread.find(randomQuestion())).rejects.toThrow('closed')
})
