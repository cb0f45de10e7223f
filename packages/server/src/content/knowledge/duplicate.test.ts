// Guarantees: every reader of an entry can fork it privately into their own workspace, under the first free name,
// regardless of the number of copies and concurrent calls.
import type { Knowledge, Skill } from '@millrace/contract/knowledge'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { setEntitlement } from '#accounts/plans/service.ts'
import { copyName } from '#platform/core/copies.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { at, givenEntries, givenEntry, givenSkill, givenSkills, writeRefusals } from './testing/given.ts'

const full = async <T>(world: World, make: (world: World, as: 'owner') => Promise<T>): Promise<T> => {
  const made = await make(world, 'owner')
  await setEntitlement(world.ctx(), world.team.id, 'knowledge_bases', 1)
  return made
}

/** Inserts rows with the names of the first copies, as a hundred calls would leave them. */
const insertCopies = async (world: World, { id, name }: Knowledge, count: number): Promise<void> => {
  const names = Array.from({ length: count }, (_, index) => copyName(name, index + 1))
  await sql`insert into knowledge (id, team_id, user_id, namespace, name, title, description, type, lifecycle, version_id,
      content_hash, repo_url, category, created_at, updated_at)
    select substr(md5(held) || md5(held), 1, 26), team_id, user_id, namespace, held, title, description, type, lifecycle,
      version_id, content_hash, repo_url, category, created_at, updated_at
    from knowledge, unnest(${sql.val(names)}::text[]) as held where id = ${id}`.execute(world.open.platform.db)
}

scenarios('knowledge.duplicate', givenEntries, [
  {
    claim: 'a public entry becomes a private fork in the workspace',
    as: 'owner',
    path: at('foreign'),
    status: 200,
    audits: ['knowledge.duplicated'],
    emits: ['team/knowledge'],
    check: ({ data }, { foreign }) => {
      expect(data).toMatchObject({
        namespace: 'mill',
        name: `${foreign.name}-copy`,
        visibility: 'private',
        version: { mutation_type: 'fork', content_hash: foreign.version?.content_hash },
      })
    },
  },
  {
    claim: 'the second copy gets the next number',
    as: 'owner',
    act: async (world, { own }) => {
      await world.call('owner', `POST /knowledge/${own.id}/duplicate`)
      return world.call('owner', `POST /knowledge/${own.id}/duplicate`)
    },
    status: 200,
    check: ({ data }, { own }) => expect(data.name).toBe(`${own.name}-copy-2`),
  },
  {
    claim: 'concurrent copies get different names',
    as: 'owner',
    act: async (world, { own }) => {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => world.call('owner', `POST /knowledge/${own.id}/duplicate`)),
      )
      const names = answers.map((answer) => answer.data?.name).sort()
      expect(names).toEqual(['', '-2', '-3', '-4', '-5'].map((suffix) => `${own.name}-copy${suffix}`))
      return answers[0] ?? Promise.reject(new Error('No answer'))
    },
    status: 200,
  },
  {
    claim: 'a hundred copies do not prevent another one',
    as: 'owner',
    act: async (world, { own }) => {
      await insertCopies(world, own, 100)
      return world.call('owner', `POST /knowledge/${own.id}/duplicate`)
    },
    status: 200,
    check: ({ data }, { own }) => expect(data.name).toBe(`${own.name}-copy-101`),
  },
  {
    claim: 'a public entry, without the read scope',
    as: 'key:knowledge:write',
    path: at('foreign'),
    status: 200,
    audits: ['knowledge.duplicated'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'an own entry, without the read scope',
    as: 'key:knowledge:write',
    path: at('own'),
    status: 404,
    code: 'not_found',
  },
  ...writeRefusals<Knowledge>().filter((row) => row.code !== 'forbidden'),
])
scenarios(
  'knowledge.duplicate',
  (world) => full(world, givenEntry),
  [{ claim: 'the plan is full', as: 'owner', path: ({ id }) => ({ id }), status: 402, code: 'limit_exceeded' }],
  ownWorld,
)

scenarios('skills.duplicate', givenSkills, [
  {
    claim: 'a fork',
    as: 'owner',
    path: at('foreign'),
    status: 200,
    audits: ['knowledge.duplicated'],
    emits: ['team/knowledge'],
  },
  ...writeRefusals<Skill>().filter((row) => row.code !== 'forbidden'),
])
scenarios(
  'skills.duplicate',
  (world) => full(world, givenSkill),
  [{ claim: 'the plan is full', as: 'owner', path: ({ id }) => ({ id }), status: 402, code: 'limit_exceeded' }],
  ownWorld,
)
