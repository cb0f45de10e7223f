// The quality set of search and its metric. Pure, except for reading the set.
import { readFile } from 'node:fs/promises'

export type QualityEntry = { name: string; description: string; text: string }
export type QuestionKind = 'paraphrase' | 'mistyped' | 'form'
export type QualityQuestion = { query: string; sort: QuestionKind; expected: string }
export type QualitySet = { entries: QualityEntry[]; questions: QualityQuestion[] }

const sorts: Readonly<Record<string, QuestionKind>> = { '~': 'paraphrase', '!': 'mistyped', '+': 'form' }

/** `namespace`: the namespace of the entries. */
export const readQualitySet = async (namespace: string): Promise<QualitySet> => {
  const set: QualitySet = { entries: [], questions: [] }
  const blocks = (await readFile(new URL('./quality.txt', import.meta.url), 'utf8')).split(/\n\s*\n/).slice(1)
  for (const block of blocks) {
    const lines = block.trim().split('\n')
    const [first = '', description = '', text = ''] = lines
    const shipped = first.startsWith('= ')
    if (!shipped) set.entries.push({ name: first, description, text })
    for (const line of lines) {
      const sort = sorts[line.charAt(0)]
      const expected = shipped ? first.slice(2) : `${namespace}/${first}`
      if (sort && line.charAt(1) === ' ') set.questions.push({ query: line.slice(2), sort, expected })
    }
  }
  return set
}

/** nDCG@10 for one expected entry: 1 for the first rank, less for lower ranks, 0 below the tenth. */
export const ndcg10 = (ranked: readonly string[], expected: string): number => {
  const place = ranked.slice(0, 10).indexOf(expected)
  return place < 0 ? 0 : 1 / Math.log2(place + 2)
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
