// Guarantees: mentions are stored when an entry is saved, follow the current version, survive a transfer, and never
// show a reader an entry that they may not read. The same holds for lineage.
import type { Knowledge, Skill } from '@millrace/contract/knowledge'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { deploy, show as showApp } from '#execution/apps/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import {
  givenEntry,
  givenSkill,
  readCases,
  sameEntries,
  sameSkills,
  show,
  text,
  writeVersion,
} from './testing/given.ts'

const names = (refs: { name: string }[]) => refs.map((ref) => ref.name)

scenarios('knowledge.references', sameEntries, readCases<Knowledge>())

const linked = async (world: World) => {
  const app = await showApp(world, 'owner', await deploy(world, 'owner'), 'public')
  const target = await show(world, 'owner', await givenEntry(world, 'owner', { type: 'concept' }), 'public')
  const hidden = await givenEntry(world, 'owner')
  const secret = await givenEntry(world, 'stranger')
  const source = await givenEntry(world, 'owner', {
    version: text(
      `See \`mill/${target.name}\`, [it](/knowledge/mill/${hidden.name}), \`other/${secret.name}\`, \`mill/${app.name}\`, \`mill/not-there\``,
    ),
  })
  await show(world, 'owner', source, 'public')
  return { app, target, hidden, secret, source }
}

scenarios('knowledge.references', linked, [
  {
    claim: 'resources that the writer may read, with their types',
    as: 'owner',
    path: ({ source }) => ({ id: source.id }),
    status: 200,
    check: ({ data }, { source, target, hidden, app }) => {
      expect(data.resource).toMatchObject({ id: source.id, type: 'knowledge', resource_kind: 'observation' })
      expect(new Set(names(data.references))).toEqual(new Set([target.name, hidden.name, app.name]))
      expect(data.references.find((ref: { id: string }) => ref.id === target.id)).toEqual({
        id: target.id,
        namespace: 'mill',
        name: target.name,
        type: 'knowledge',
        resource_kind: 'concept',
        description: target.description,
      })
      expect(data.references.find((ref: { id: string }) => ref.id === app.id)).toMatchObject({
        type: 'app',
        resource_kind: app.category,
      })
    },
  },
  {
    claim: 'an admin’s bypass does not count',
    as: 'admin',
    path: ({ source }) => ({ id: source.id }),
    status: 200,
    check: ({ data }, { target, app }) =>
      expect(new Set(names(data.references))).toEqual(new Set([target.name, app.name])),
  },
  {
    claim: 'a key sees mentions of a type without its scope only if they are public',
    as: 'key:knowledge:read',
    act: async (world) => {
      const [open, own] = [
        await showApp(world, 'owner', await deploy(world, 'owner'), 'public'),
        await deploy(world, 'owner'),
      ]
      const entry = await givenEntry(world, 'owner', {
        version: text(`\`mill/${open.name}\` and \`mill/${own.name}\``),
      })
      const all = await world.call('key:knowledge:read,apps:read', `GET /knowledge/${entry.id}/references`)
      expect(new Set(names(all.data.references))).toEqual(new Set([open.name, own.name]))
      const shown = await world.call('key:knowledge:read', `GET /knowledge/${entry.id}/references`)
      expect(names(shown.data.references)).toEqual([open.name])
      return shown
    },
    status: 200,
  },
  {
    claim: 'a key with only the write scope links entries like any other',
    as: 'owner',
    act: async (world, { hidden }) => {
      const { data } = await world.call('key:knowledge:write', 'POST /knowledge', {
        body: { name: `linking-${Date.now()}`, description: 'Links', version: text(`\`mill/${hidden.name}\``) },
      })
      return world.call('owner', `GET /knowledge/${data.id}/references`)
    },
    status: 200,
    check: ({ data }, { hidden }) => expect(names(data.references)).toEqual([hidden.name]),
  },
  {
    claim: 'entries that mention it',
    as: null,
    path: ({ target }) => ({ id: target.id }),
    status: 200,
    check: ({ data }, { source }) => expect(names(data.referenced_by)).toEqual([source.name]),
  },
  {
    claim: 'entries that mention it, except those that became private',
    as: 'stranger',
    act: async (world, { source, target }) => {
      await show(world, 'owner', source, 'private')
      return world.call('stranger', `GET /knowledge/${target.id}/references`)
    },
    status: 200,
    check: ({ data }) => expect(data.referenced_by).toEqual([]),
  },
  {
    claim: 'a new version replaces the mentions',
    as: 'owner',
    act: async (world, { source }) => {
      await writeVersion(world, 'owner', source.id, { version: text('nothing') })
      return world.call('owner', `GET /knowledge/${source.id}/references`)
    },
    status: 200,
    check: ({ data }) => expect(data.references).toEqual([]),
  },
  {
    claim: 'a transferred entry is still mentioned, a deleted one is not',
    as: 'owner',
    act: async (world, { source, target, hidden }) => {
      await addMember(world.ctx(), world.otherTeam.id, world.people.owner.userId, 'member').catch(() => undefined)
      await world.call('owner', `POST /knowledge/${target.id}/transfer`, { body: { team_id: world.otherTeam.id } })
      await world.call('owner', `DELETE /knowledge/${hidden.id}`)
      return world.call('owner', `GET /knowledge/${source.id}/references`)
    },
    status: 200,
    check: ({ data }, { target, hidden }) => {
      expect(data.references).toContainEqual(expect.objectContaining({ id: target.id, namespace: 'other' }))
      expect(names(data.references)).not.toContain(hidden.name)
    },
  },
])

scenarios('knowledge.lineage', sameEntries, readCases<Knowledge>())

const family = async (world: World) => {
  const content = `Do it. ${Math.random()}`
  const parent = await show(world, 'stranger', await givenSkill(world, 'stranger', { instructions: content }), 'public')
  const fork = (as: 'owner' | 'member') =>
    givenSkill(world, as, { parent_skill_id: parent.id, instructions: `Mine. ${Math.random()}` })
  const own = await fork('owner')
  const sibling = await show(world, 'member', await fork('member'), 'team')
  const hidden = await fork('member')
  const twin = await givenSkill(world, 'owner', { instructions: content })
  world.clock.advance(1000)
  await writeVersion(world, 'stranger', parent.id, { title: 'T' })
  const grandchild = await givenSkill(world, 'owner', { parent_skill_id: own.id })
  return { parent, own, sibling, hidden, twin, grandchild }
}

scenarios('knowledge.lineage', family, [
  {
    claim: 'parent, siblings and forks',
    as: 'owner',
    path: ({ own }) => ({ id: own.id }),
    status: 200,
    check: ({ data }, { parent, own, sibling, grandchild }) => {
      expect(data.skill).toMatchObject({ id: own.id, version_count: 1 })
      expect(data.parents).toMatchObject([
        { id: parent.id, parent_version_id: parent.version_id, versions_since_fork: 1 },
      ])
      expect(names(data.siblings)).toEqual([sibling.name])
      expect(data.forks).toMatchObject([
        { id: grandchild.id, parent_version_id: own.version_id, versions_since_fork: 0 },
      ])
      expect(data).toMatchObject({ duplicates: [], fork_depth: 1 })
    },
  },
  {
    claim: 'deeper',
    as: 'owner',
    path: ({ grandchild }) => ({ id: grandchild.id }),
    status: 200,
    check: ({ data }) => expect(data.fork_depth).toBe(2),
  },
  {
    claim: 'equal content elsewhere is a duplicate, for its readers',
    as: 'owner',
    path: ({ parent }) => ({ id: parent.id }),
    status: 200,
    check: ({ data }, { own, sibling, twin }) => {
      expect(names(data.duplicates)).toEqual([twin.name])
      expect(new Set(names(data.forks))).toEqual(new Set([own.name, sibling.name]))
    },
  },
  {
    claim: 'a stranger sees no lineage',
    as: 'stranger',
    path: ({ parent }) => ({ id: parent.id }),
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ duplicates: [], forks: [], parents: [] }),
  },
  {
    claim: 'unreadable forks do not displace readable ones',
    as: 'owner',
    act: async (world, { parent, sibling }) => {
      await sql`insert into knowledge (id, team_id, user_id, namespace, name, title, description, type, lifecycle, version_id,
          content_hash, repo_url, category, parent_id, parent_version_id, created_at, updated_at)
        select substr(md5(id || n) || md5(id), 1, 26), team_id, user_id, namespace, name || '-' || n, title, description, type,
          lifecycle, version_id, content_hash, repo_url, category, id, version_id, created_at - interval '1 day', updated_at
        from knowledge, generate_series(1, 200) as n where id = ${parent.id}`.execute(world.open.platform.db)
      const answer = await world.call('owner', `GET /knowledge/${parent.id}/lineage`)
      expect(names(answer.data.forks)).toContain(sibling.name)
      return answer
    },
    status: 200,
  },
])

scenarios('skills.lineage', sameSkills, [
  ...readCases<Skill>(),
  {
    claim: 'the same as for knowledge',
    as: 'owner',
    act: async (world) => {
      const { own } = await family(world)
      const answer = await world.call('owner', `GET /skills/${own.id}/lineage`)
      expect(answer.data).toEqual((await world.call('owner', `GET /knowledge/${own.id}/lineage`)).data)
      return answer
    },
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ fork_depth: 1, parents: [{}], forks: [{}] }),
  },
  {
    claim: 'of an entry that is not a skill',
    as: 'owner',
    act: async (world) => world.call('owner', `GET /skills/${(await givenEntry(world, 'owner')).id}/lineage`),
    status: 404,
    code: 'not_found',
  },
])

scenarios(
  'skills.update',
  async (world) => {
    const first = await givenSkill(world, 'owner')
    const second = await givenSkill(world, 'owner', { parent_skill_id: first.id })
    return { first, third: await givenSkill(world, 'owner', { parent_skill_id: second.id }) }
  },
  [
    {
      claim: 'the lineage of skills has no cycles',
      as: 'owner',
      path: ({ first }) => ({ id: first.id }),
      body: ({ third }: { third: { id: string } }) => ({ parent_skill_id: third.id }),
      status: 400,
      code: 'validation_error',
      check: async (_, { third }, world) =>
        expect((await world.call('owner', `GET /skills/${third.id}/lineage`)).data.fork_depth).toBe(2),
    },
  ],
)
