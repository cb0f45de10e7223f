// Guarantees: unknown fields of a body are ignored, in particular a parent that the caller may not read and another
// identity of the version.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { givenEntry } from './testing/given.ts'

const prepare = async (world: World) => ({
  own: await givenEntry(world, 'owner'),
  hidden: await givenEntry(world, 'stranger'),
})
type Given = Awaited<ReturnType<typeof prepare>>

const claims = ({ hidden }: Given) => ({
  parent: { id: hidden.id, versionId: hidden.version_id },
  parent_id: hidden.id,
  team_id: hidden.team_id,
  category: 5,
  uses: 7,
})
const asSkill = { skill: { id: 'x', skill_id: 'x', license: 5 } }

const checkSkill = async (world: World, id: string) => {
  const { data } = await world.call('owner', `GET /skills/${id}`)
  expect(data.version).toMatchObject({ id: data.version_id, skill_id: id })
  expect(data.version).not.toHaveProperty('license')
  expect((await world.call('owner', `GET /skills/${id}/lineage`)).data.fork_depth).toBe(0)
}

scenarios('knowledge.create', prepare, [
  {
    claim: 'a body with a parent and fields of skills',
    as: 'owner',
    body: (given: Given) => ({
      name: `e-${given.own.short_id}`,
      description: 'D',
      type: 'skill',
      version: { content: { path: 'SKILL.md', content: 'x' }, ...asSkill },
      ...claims(given),
    }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
    check: async ({ data }, { own }, world) => {
      expect(data).toMatchObject({ team_id: own.team_id, uses: 0 })
      await checkSkill(world, data.id)
    },
  },
])

scenarios('knowledge.update', prepare, [
  {
    claim: 'a body with a parent and fields of skills',
    as: 'owner',
    path: ({ own }) => ({ id: own.id }),
    body: (given: Given) => ({ type: 'skill', version: { ...asSkill }, ...claims(given) }),
    status: 200,
    audits: ['knowledge.updated'],
    emits: ['team/knowledge'],
    check: async ({ data }, { own }, world) => {
      expect(data).toMatchObject({ id: own.id, team_id: own.team_id, uses: 0 })
      await checkSkill(world, data.id)
    },
  },
])
