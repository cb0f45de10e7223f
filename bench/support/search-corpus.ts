// Any number of entries of realistic text: sentences with natural word frequencies and different topics. The same
// number yields the same text.
import { readdir, readFile } from 'node:fs/promises'

export type BenchEntry = { name: string; description: string; text: string; topic: number }

const topics = 400
const folder = new URL('../../docs/', import.meta.url)

/** A small generator with its own state, so that every run is the same. */
const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The words of this repository's documents, most frequent first. */
const readVocabulary = async (): Promise<string[]> => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'))
  const counts = new Map<string, number>()
  for (const name of names)
    for (const word of (await readFile(new URL(name, folder), 'utf8')).toLowerCase().match(/[a-z]{3,14}/g) ?? [])
      counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word)
}

export type Corpus = { entry(number: number): BenchEntry; queries(count: number): string[] }

export const createCorpus = async (): Promise<Corpus> => {
  const vocabulary = await readVocabulary()
  // The nth word has a frequency of about 1/n; a topic replaces a third of the words.
  const wordOf = (random: () => number, topic: number): string => {
    const rank = Math.floor(vocabulary.length ** random()) - 1
    const shifted = random() < 0.33 ? (rank + topic * 37) % vocabulary.length : rank
    return vocabulary[shifted] ?? 'word'
  }
  const phrase = (random: () => number, topic: number, length: number): string =>
    Array.from({ length }, () => wordOf(random, topic)).join(' ')
  return {
    entry: (number) => {
      const random = randomOf(number)
      const topic = number % topics
      const sentences = Array.from({ length: 6 + Math.floor(random() * 6) }, () => `${phrase(random, topic, 12)}.`)
      return {
        name: `${wordOf(random, topic)}-${wordOf(random, topic)}-${number}`,
        description: phrase(random, topic, 9),
        text: sentences.join(' '),
        topic,
      }
    },
    queries: (count) =>
      Array.from({ length: count }, (_, number) => {
        const random = randomOf(0xabcdef + number)
        return phrase(random, number % topics, 2 + Math.floor(random() * 3))
      }),
  }
}
