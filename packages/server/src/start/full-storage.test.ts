// Guarantees: the rows of a workspace count for `storage_mb`, which is limited by default. A workspace with full storage
// cannot store more text in any way, others are not affected, and deleted text gives its room back.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setEntitlement } from '#accounts/plans/service.ts'
import { storedTables, uncountedTables } from '#accounts/plans/stored-tables.ts'
import { givenAgent } from '#agents/agents/testing/given.ts'
import { createTrigger, sendHook } from '#automation/triggers/testing/given.ts'
import { deploy } from '#execution/apps/testing/given.ts'
import { serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { retentionRules } from '#platform/db/retention-rules.ts'
import { type Answer, createWorld, type World } from '../testing/world.ts'

const limitMegabytes = 2
/** Random, because PostgreSQL stores compressed text. */
const text = (bytes: number): string => randomBytes(bytes / 2).toString('hex')

let world: World
const limit = (megabytes: number | null) => setEntitlement(world.ctx(), world.team.id, 'storage_mb', megabytes)

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

it('a table of the database counts, or is named with the reason why not', () => {
  const named = [...Object.keys(storedTables), ...Object.values(uncountedTables).flat()]
  expect(named.toSorted()).toEqual(Object.keys(retentionRules).toSorted())
})

it('storage is limited without an entitlement', async () => {
  const { data } = await world.call('owner', 'GET /entitlements/usage')
  expect(data.find(({ resource }: { resource: string }) => resource === 'storage_mb')).toMatchObject({
    unlimited: false,
    limit: 20_000,
  })
})

/** Each writes about 200 kB; `given` creates what it writes to. */
const ways: Record<string, { given?: () => Promise<string>; write: (id: string) => Promise<Answer> }> = {
  'versions of a knowledge entry': {
    given: async () => (await knowledge()).id,
    write: (id) =>
      world.call('owner', `POST /knowledge/${id}`, {
        body: { version: { content: { path: 'a.md', content: text(200_000) } } },
      }),
  },
  'copies of a knowledge entry': {
    given: async () => (await knowledge(text(200_000))).id,
    write: (id) => world.call('owner', `POST /knowledge/${id}/duplicate`),
  },
  'inputs of later runs': {
    given: async () => (await deploy(world, 'owner')).id,
    write: (app) =>
      world.call('owner', 'POST /run', {
        body: { app, input: { text: text(200_000) }, function: 'run', run_at: '2099-01-01T00:00:00Z' },
      }),
  },
  'versions of apps': { write: () => world.call('owner', 'POST /apps', { body: bigApp() }) },
  agents: {
    write: () =>
      world.call('owner', 'POST /agents', {
        body: { name: fresh('agent'), version: { system_prompt: text(200_000) } },
      }),
  },
  'pages and their versions': {
    write: () =>
      world.call('owner', 'POST /artifacts', {
        body: { name: fresh('page'), title: 'A page', content: `<p>${text(200_000)}</p>` },
      }),
  },
  'deliveries of webhooks': {
    given: async () => (await createTrigger(world, 'owner', await hookTrigger())).id,
    write: (id) => sendHook(world, { id }, { n: 1, text: text(200_000) }),
  },
}

const fresh = (kind: string): string => `${kind}-${randomBytes(6).toString('hex')}`
const bigApp = () => ({
  name: fresh('app'),
  version: {
    repository: 'https://bundles.example.com/a.zip',
    functions: { run: { input_schema: { type: 'object', description: text(200_000) } } },
  },
})
const knowledge = async (content = 'short') => {
  const version = { content: { path: 'a.md', content } }
  const answer = await world.call('owner', 'POST /knowledge', {
    body: { name: fresh('entry'), description: 'd', version },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data as { id: string }
}
const hookTrigger = async () => ({
  name: 'Hook',
  type: 'webhook',
  action: 'run_app',
  app_id: (await deploy(world, 'owner')).id,
})

const used = async (): Promise<number> => {
  const { data } = await world.call('owner', 'GET /entitlements/usage')
  return data.find(({ resource }: { resource: string }) => resource === 'storage_mb').current
}

describe.each(Object.entries(ways))('full storage refuses %s', (_name, { given, write }) => {
  it('after about 2 MB', async () => {
    await limit(null)
    const id = (await given?.()) ?? ''
    await limit(Math.ceil(await used()) + limitMegabytes)
    const answers: Answer[] = []
    do answers.push(await write(id))
    while (answers.at(-1)?.status === 200 && answers.length < 25)
    const refused = answers.pop()
    expect(refused).toMatchObject({ code: 'limit_exceeded', status: 402 })
    expect(refused?.json.meta).toMatchObject({ resource: 'storage_mb' })
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.length).toBeGreaterThan(5)
  })
})

it('full storage refuses even a short text, but not a deletion, a list or another workspace', async () => {
  await limit(null)
  const entry = await knowledge(text(1_500_000))
  await limit(Math.floor(await used()))
  const short = { body: { name: fresh('agent'), version: { system_prompt: 'short' } } }
  expect(await world.call('owner', 'POST /agents', short)).toMatchObject({ code: 'limit_exceeded' })
  expect(await world.call('owner', 'POST /agents/list', { body: {} })).toMatchObject({ status: 200 })
  await givenAgent(world, 'stranger')
  expect(await world.call('owner', `DELETE /knowledge/${entry.id}`)).toMatchObject({ status: 200 })
})

it('the output of a run counts', async () => {
  await limit(null)
  const engine = await startEngine(world, { cloud: true })
  const app = await deploy(world, 'owner')
  const before = await used()
  await world.call('owner', 'POST /run', { body: { app: app.id, input: { text: 'short' }, function: 'run' } })
  await serveOne(engine, { text: text(1_000_000) })
  expect((await used()) - before).toBeCloseTo(1, 1)
  await engine.drop()
})
