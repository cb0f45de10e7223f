// Guarantees: agents and pages are found as soon as they exist, by callers who may read them, with a working command.
// Pages that are not served are not found.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenAgent, showAgent } from '#agents/agents/testing/given.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { seedPages } from './pages.ts'
import { countDisagreements, reindex } from './reindex.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

type Hit = { id: string; collection: string; fields: Record<string, unknown> }
const search = async (as: As, query: string, collection: string): Promise<Hit[]> =>
  (await world.call(as, 'GET /search', { query: { q: query, collection } })).data.results
const ids = async (as: As, query: string): Promise<string[]> => (await search(as, query, 'agents')).map((hit) => hit.id)

describe('agents', () => {
  it('are found by description, prompt and example, follow their version, and are not found once deleted', async () => {
    const agent = await givenAgent(world, 'owner', {
      description: 'Answers letters of customers',
      system_prompt: 'You are a polite ombudsman.',
      example_prompts: ['Reply to this grievance'],
    })
    for (const query of ['letters', 'ombudsman', 'grievance']) {
      expect(await ids('owner', query)).toEqual([agent.id])
      expect(await ids('member', query)).toEqual([])
    }
    await showAgent(world, 'owner', agent, 'public')
    expect(await search(null, 'letters', 'agents')).toMatchObject([
      {
        collection: 'agents',
        fields: { namespace: 'mill', name: agent.name, description: 'Answers letters of customers' },
      },
    ])
    await world.call('owner', `POST /agents/${agent.id}`, { body: { version: { description: 'Sorts parcels' } } })
    expect(await ids(null, 'parcels')).toEqual([agent.id])
    expect(await ids(null, 'letters')).toEqual([])
    expect(await countDisagreements(world.open.platform.db)).toBe(0)
    await world.call('owner', `DELETE /agents/${agent.id}`)
    expect(await ids('owner', 'parcels')).toEqual([])
  })

  it('are suggested with the command that runs them', async () => {
    const description = 'Negotiates rental contracts for bicycles'
    const agent = await showAgent(world, 'owner', await givenAgent(world, 'owner', { description }), 'public')
    const { data } = await world.call(null, 'POST /suggest', { body: { query: description, category: 'agent' } })
    const ref = `mill/${agent.name}`
    expect(data.results).toMatchObject([
      { type: 'agent', name: ref, description, command: `millrace agent run ${ref}` },
    ])
  })
})

describe('pages', () => {
  const refs = async (query: string) =>
    (await search(null, query, 'pages')).map(({ fields }) => `${fields.namespace}/${fields.name}`)

  it('are found by everyone, and suggested with the command that opens them', async () => {
    expect((await refs('write an app'))[0]).toBe('guides/write-an-app')
    const { data } = await world.call(null, 'POST /suggest', { body: { query: 'Write an app', category: 'doc' } })
    expect(data.results[0]).toMatchObject({
      type: 'doc',
      name: 'guides/write-an-app',
      command: 'millrace open guides/write-an-app',
    })
    expect((await world.call(null, 'GET /guides/write-an-app')).status).toBe(200)
  })

  it('are found only while they are served, and return when the index is rebuilt', async () => {
    const { platform } = world.open
    await seedPages({ ...platform, settings: { ...platform.settings, DOCS: 'off' } })
    expect(await refs('write an app')).toEqual([])
    await seedPages(platform)
    expect((await refs('write an app'))[0]).toBe('guides/write-an-app')
    await platform.db.deleteFrom('search_documents').where('kind', 'in', ['page', 'agent']).execute()
    expect(await countDisagreements(platform.db)).toBeGreaterThan(5)
    await reindex(platform.db)
    expect(await countDisagreements(platform.db)).toBe(0)
  })
})
