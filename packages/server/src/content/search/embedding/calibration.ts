// Models differ widely in their cosines: unrelated texts score 0.1 with one model and 0.7 with another. So an unknown
// model is calibrated with pairs of sentences that are known to be paraphrases.
import type { CosineRange } from '../score.ts'
import { cosineOf } from './vectors.ts'

const pairs: readonly (readonly [string, string])[] = [
  ['Employees receive their salary every month', 'When do workers get their wages?'],
  ['How to make a photograph larger', 'Increase the size of a picture'],
  ['The server does not start after an update', 'Since the upgrade the machine fails to boot'],
  ['Translate a document from German to English', 'Turn a German text into an English one'],
  ['Bread is baked in a hot oven', 'A loaf is made by heating dough'],
  ['Who is on call at the weekend', 'The person to phone on Saturday and Sunday when something breaks'],
  ['Delete a customer and all of their data', 'Remove every record of a client'],
  ['Sum up a long meeting in a few lines', 'A short summary of what was said in the call'],
]

/** The minimum distance between unrelated texts and paraphrases, even if the model separates these sentences well. */
const minMargin = 0.05

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** From two standard deviations above the mean of unrelated sentences to the mean of paraphrases. */
export const measureRange = async (
  embed: (texts: readonly string[]) => Promise<Float32Array[]>,
): Promise<CosineRange> => {
  const vectors = await embed(pairs.flat())
  const between = (one: number, other: number): number => {
    const [a, b] = [vectors[one], vectors[other]]
    return a && b ? cosineOf(a, b) : 0
  }
  const paraphraseCosines = pairs.map((_pair, place) => between(2 * place, 2 * place + 1))
  const strange = pairs.flatMap((_one, place) =>
    pairs.slice(place + 1).map((_other, further) => between(2 * place, 2 * (place + 1 + further))),
  )
  const average = mean(strange)
  const deviation = Math.sqrt(mean(strange.map((cosine) => (cosine - average) ** 2)))
  const unrelated = average + Math.max(2 * deviation, minMargin)
  const same = mean(paraphraseCosines)
  // The model does not separate the sentences: only nearly equal texts count.
  return same - unrelated < 0.02 ? { unrelated: 0.95, same: 1 } : { unrelated, same: Math.min(same, 1) }
}
