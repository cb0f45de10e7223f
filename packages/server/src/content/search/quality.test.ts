// Guarantees the quality of search: for a committed set of queries (paraphrases, misspellings, inflections), words and
// meaning together are no worse than either alone, and not worse than before. `npm run prove -- search-quality --size
// large` prints the scores.
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { deploy, show as showApp } from '#execution/apps/testing/given.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenEntry, show, text } from '../knowledge/testing/given.ts'
import { embedSome } from './embedding/embedding.ts'
import { find, type ScoredCandidate } from './find.ts'
import { searchKinds } from './kinds.ts'
import { mean, ndcg10, type QualityQuestion, type QuestionKind, readQualitySet } from './testing/quality.ts'

/** Measured: 0.75, with a margin for the rounding of other processors. */
const floor = 0.73
const atOnce = 8

const rankings = {
  fused: ({ score }: ScoredCandidate) => score,
  lexical: ({ lexical }: ScoredCandidate) => lexical,
  semantic: ({ semantic }: ScoredCandidate) => semantic,
} satisfies Record<string, (found: ScoredCandidate) => number>
type By = keyof typeof rankings

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const apps = new URL('../../../../../apps/', import.meta.url)

/** Deploys the shipped apps with the texts of their own files, under the names in the set. */
const deployShipped = async (): Promise<void> => {
  for (const folder of await readdir(apps)) {
    const inf = parseYaml(await readFile(new URL(`${folder}/inf.yml`, apps), 'utf8')) as Record<string, string>
    const { name, title, description } = inf
    await showApp(world, 'owner', await deploy(world, 'owner', { name, title, description }), 'public')
  }
}

/** On a busy machine the query may not be embedded in time, so it is repeated. */
const findByMeaningToo = async (query: string): Promise<ScoredCandidate[]> => {
  for (;;) {
    const ctx = world.ctx()
    const found = await find(ctx, { query, kinds: searchKinds.map(({ kind }) => kind), limit: 20 })
    if (ctx.notices.length === 0) return found
  }
}

it('words and meaning together find more than either alone', { timeout: 600_000 }, async () => {
  const { entries, questions } = await readQualitySet(world.team.username)
  expect(questions.length).toBeGreaterThanOrEqual(200)
  await deployShipped()
  for (const { name, description, text: said } of entries)
    await show(world, 'owner', await givenEntry(world, 'owner', { name, description, version: text(said) }), 'public')
  while ((await embedSome(world.open.platform)) > 0);

  const gains: { sort: QuestionKind; by: By; gain: number }[] = []
  const judge = async ({ query, sort, expected }: QualityQuestion): Promise<void> => {
    const found = await findByMeaningToo(query)
    for (const by of ['fused', 'lexical', 'semantic'] as const) {
      const ranked = found.filter((one) => rankings[by](one) > 0).sort((a, b) => rankings[by](b) - rankings[by](a))
      const refs = ranked.map(({ namespace, name, kind }) => `${kind === 'app' ? 'millrace' : namespace}/${name}`)
      gains.push({ sort, by, gain: ndcg10(refs, expected) })
    }
  }
  // Several at a time, so that their vectors are computed together.
  for (let start = 0; start < questions.length; start += atOnce)
    await Promise.all(questions.slice(start, start + atOnce).map(judge))
  const measured = (by: By, sort?: QuestionKind): number =>
    mean(gains.filter((one) => one.by === by && (sort === undefined || one.sort === sort)).map(({ gain }) => gain))
  if (process.env.SEARCH_QUALITY === 'print')
    for (const by of ['lexical', 'semantic', 'fused'] as const)
      console.log(
        `nDCG@10 ${by.padEnd(9)} ${measured(by).toFixed(3)}   paraphrases ${measured(by, 'paraphrase').toFixed(3)}  ` +
          `mistyped ${measured(by, 'mistyped').toFixed(3)}  other forms ${measured(by, 'form').toFixed(3)}`,
      )
  expect(measured('fused')).toBeGreaterThanOrEqual(measured('lexical'))
  expect(measured('fused')).toBeGreaterThanOrEqual(measured('semantic'))
  expect(measured('fused')).toBeGreaterThanOrEqual(floor)
})
