// Guarantees: one setting selects an OpenAI-compatible endpoint for embeddings. A change of its model or vector length
// re-embeds everything, a refused text does not block others, and while the endpoint is down, search uses words only
// and reports that.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../testing/until.ts'
import { type Answer, createWorld, type World } from '../../../testing/world.ts'
import { givenEntry, text } from '../../knowledge/testing/given.ts'
import { clearOtherVectors, embedSome } from './embedding.ts'
import { createEndpointEmbedder } from './endpoint.ts'

/** A model whose vectors are the topics of a text, which no comparison of letters would find. */
const topics = [
  ['salary', 'wages', 'paid'],
  ['photograph', 'picture', 'image'],
  ['server', 'machine', 'boot'],
  ['german', 'english', 'translate'],
  ['bread', 'loaf', 'oven'],
  ['on call', 'phone', 'weekend'],
  ['customer', 'client', 'record'],
  ['meeting', 'summary', 'sum up'],
]

let length = 24
let refusing = ''
let status = 200
const asked: { model: string; input: string[]; key: string | undefined }[] = []

const vectorFor = (input: string): number[] =>
  Array.from({ length }, (_, place) =>
    topics[place % topics.length]?.some((word) => input.toLowerCase().includes(word)) ? 1 : 0.01 * ((place * 7) % 3),
  )

let server: Server
let world: World
let address: string

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; input: string[] }
    asked.push({ ...body, key: request.headers.authorization })
    const refused = refusing !== '' && body.input.some((input) => input.includes(refusing))
    const code = request.url === '/v1/embeddings' ? (refused ? 400 : status) : 404
    // Not in the order of the request; the index counts.
    const data = body.input
      .map((input, index) => ({ object: 'embedding', index, embedding: vectorFor(input) }))
      .reverse()
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const settings = {
    EMBEDDINGS_URL: `${address}/?model=topics`,
    EMBEDDINGS_KEY: 'sesame',
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  }
  world = await createWorld({ settings })
})
afterAll(async () => {
  await world?.close()
  await new Promise((done) => server.close(done))
})

const embedAll = async (): Promise<number> => {
  let count = 0
  for (let done = await embedSome(world.open.platform); done > 0; done = await embedSome(world.open.platform))
    count += done
  return count
}
const search = (query: string) => world.call('owner', 'POST /search', { body: { query, collections: ['knowledge'] } })
const idsOf = ({ data }: Answer): string[] => data.results.map((hit: { id: string }) => hit.id)
const found = async (query: string): Promise<string[]> => idsOf(await search(query))
/** On a busy machine the query may not be embedded in time, so it is repeated. */
const foundByMeaning = async (query: string): Promise<string[]> =>
  idsOf(
    await until(async () => {
      const answer = await search(query)
      return (answer.json.messages as unknown[]).length === 0 && answer
    }),
  )
const entry = (name: string, said: string) =>
  givenEntry(world, 'owner', { name, description: said, version: text(said) })

it('the endpoint is called with the configured model and key', async () => {
  const pay = await entry('pay', 'Employees receive their salary every month')
  await entry('crust', 'Bread is baked in the morning')
  await embedAll()
  expect(await foundByMeaning('when do they hand out wages')).toEqual([pay.id])
  expect(new Set(asked.map(({ model, key }) => `${model} ${key}`))).toEqual(new Set(['topics Bearer sesame']))
  expect(asked.some(({ input }) => input.length > 1)).toBe(true)
  const models = await world.open.platform.db.selectFrom('search_vectors').select('model').distinct().execute()
  expect(models).toEqual([{ model: 'endpoint:topics' }])
})

it('a text that the model refuses is found by words, the others also by meaning', async () => {
  refusing = 'forbidden'
  const bad = await entry('bad', 'A forbidden loaf')
  const good = await entry('good', 'Loaf of the day')
  await embedAll()
  refusing = ''
  expect(await found('forbidden')).toContain(bad.id)
  expect(await foundByMeaning('something from the oven')).toContain(good.id)
  expect(await embedAll()).toBe(0)
})

it('another length or model re-embeds everything, and vectors of different models are not compared', async () => {
  length = 40
  const documents = await world.open.platform.db.selectFrom('search_documents').select('id').execute()
  // No vector of that length exists yet, so the query uses words.
  expect(await found('when do they hand out wages')).toEqual(expect.any(Array))
  expect(await found('another question about wages')).toEqual([])
  expect(await embedAll()).toBeGreaterThanOrEqual(documents.length - 1)
  expect(await foundByMeaning('a new question about wages')).toHaveLength(1)

  await world.open.platform.db.updateTable('search_vectors').set({ model: 'endpoint:older' }).execute()
  await clearOtherVectors(world.open.platform)
  expect(await embedAll()).toBeGreaterThanOrEqual(documents.length - 1)
})

it('while the endpoint is down, search uses words and reports that, and nothing counts as embedded', async () => {
  status = 503
  const late = await entry('late', 'Notes of a meeting about quinces')
  await expect(embedSome(world.open.platform)).rejects.toThrow('503')
  const answer = await search('quinces, not asked before')
  expect(answer.data.results.map((hit: { id: string }) => hit.id)).toEqual([late.id])
  expect(answer.json.messages).toMatchObject([{ code: 'semantic_unavailable' }])
  status = 200
  expect(await embedAll()).toBe(1)
})

it('an answer without one vector per text is an error', async () => {
  const { outbound } = world.open.platform
  length = 0
  const embedder = createEndpointEmbedder(outbound, { address, key: undefined })
  await expect(embedder.embed(['one', 'two'], 10_000)).rejects.toThrow('did not answer with one vector per text')
  expect(embedder.length).toBeNull()
  length = 24
  expect(await embedder.embed(['one', 'two'], 10_000)).toHaveLength(2)
  const { unrelated, same } = await embedder.range(10_000)
  expect(unrelated).toBeLessThan(same)
})
