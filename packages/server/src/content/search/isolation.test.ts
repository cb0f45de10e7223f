// Guarantees: searches, suggestions and counts contain nothing that a single read would refuse: random rows of three
// workspaces and every visibility, queried by every kind of caller while the visibility changes. `npm run prove --
// search-isolation --size large` makes 20,000 queries; the ordinary test run makes fewer.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { givenAgent, showAgent } from '#agents/agents/testing/given.ts'
import { deploy, show as showApp } from '#execution/apps/testing/given.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { givenEntry, givenSkill, show } from '../knowledge/testing/given.ts'
import { embedSome } from './embedding/embedding.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const words = ['harbour', 'lantern', 'quarry', 'meadow', 'compass', 'orchard', 'glacier', 'kiln']
const visibilities = ['private', 'team', 'org', 'unlisted', 'public'] as const
const makers = ['owner', 'member', 'stranger', 'platform'] as const
const callers: As[] = [
  'owner',
  'admin',
  'member',
  'stranger',
  'platform',
  null,
  'key:flows:read',
  'member-key:knowledge:read',
]
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const some = (): string => `${pick(words)} ${pick(words)}`

/** A row, and the caller who may change it. */
type Row = { id: string; as: (typeof makers)[number]; route: string; show(visibility: string): Promise<unknown> }

const givenRow: readonly ((as: Row['as']) => Promise<Row>)[] = [
  async (as) => {
    const entry = await givenEntry(world, as, { description: some() })
    return { id: entry.id, as, route: 'knowledge', show: (visibility) => show(world, as, entry, visibility) }
  },
  async (as) => {
    const skill = await givenSkill(world, as, { description: some(), instructions: some() })
    return { id: skill.id, as, route: 'skills', show: (visibility) => show(world, as, skill, visibility) }
  },
  async (as) => {
    const agent = await givenAgent(world, as, { description: some() })
    return { id: agent.id, as, route: 'agents', show: (visibility) => showAgent(world, as, agent, visibility) }
  },
  async (as) => {
    const app = await deploy(world, as, { description: some() })
    return { id: app.id, as, route: 'apps', show: (visibility) => showApp(world, as, app, visibility as 'public') }
  },
]

type Hit = { id: string; collection: string }

it('no caller finds or counts what a single read would refuse', { timeout: 7_200_000 }, async () => {
  const rows: Row[] = []
  for (let count = 0; count < 32; count += 1) {
    const row = await (givenRow[count % givenRow.length] ?? pick(givenRow))(pick(makers))
    await row.show(pick(visibilities)).catch(() => undefined)
    rows.push(row)
  }
  while ((await embedSome(world.open.platform)) > 0);

  const readable = new Map<string, boolean>()
  const mayRead = async (as: As, { collection, id }: Hit): Promise<boolean> => {
    const key = `${as} ${id}`
    const known = readable.get(key) ?? (await world.call(as, `GET /${collection}/${id}`)).status === 200
    readable.set(key, known)
    return known
  }
  const made = new Set(rows.map(({ id }) => id))
  let shown = 0
  const check = async (as: As, hits: readonly Hit[]): Promise<void> => {
    for (const hit of hits.filter(({ id }) => made.has(id))) {
      shown += 1
      expect(await mayRead(as, hit), `${as} was shown ${hit.id}`).toBe(true)
    }
  }
  for (let asked = 0; asked < Number(process.env.SEARCH_ISOLATION ?? 60); asked += 1) {
    const as = pick(callers)
    const query = some()
    if (asked % 25 === 24) {
      await pick(rows)
        .show(pick(visibilities))
        .catch(() => undefined)
      readable.clear()
    }
    await check(as, (await world.call(as, 'POST /search', { body: { query, limit: 100 } })).data.results)
    if (asked % 5 === 0) {
      const { data } = await world.call(as, 'POST /suggest', { body: { query, limit: 100 } })
      const names = new Set(data.results.map(({ name }: { name: string }) => name))
      const found = (await world.call(as, 'POST /search', { body: { query, limit: 100 } })).data.results
      // Suggestions are a subset of the search results, which are checked below.
      const refs = new Set(
        found.map(({ fields }: { fields: Record<string, string> }) => `${fields.namespace}/${fields.name}`),
      )
      expect([...names].filter((name) => !refs.has(name))).toEqual([])
      await check(as, found)
    }
    if (asked % 5 === 1) {
      const search = { term: query.split(' ')[0], fields: ['description'] }
      const list = await world.call(as, 'POST /knowledge/list', { body: { limit: -1, search } })
      if (list.status !== 200) continue
      expect(list.data.total_items ?? list.data.items.length).toBe(list.data.items.length)
      await check(
        as,
        list.data.items.map(({ id }: { id: string }) => ({ id, collection: 'knowledge' })),
      )
    }
  }
  expect(shown).toBeGreaterThan(0)
})
