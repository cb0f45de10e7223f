// Guarantees: skills are published, resolved, installed and listed in the store under their own field names, and are
// the same rows as knowledge of type skill.
import type { Skill } from '@millrace/contract/knowledge'
import { expect } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { setEntitlement } from '#accounts/plans/service.ts'
import { commands } from '#start/operator/commands.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import {
  at,
  freshName,
  type Given,
  givenEntry,
  givenSkill,
  givenSkills,
  ids,
  listRefusals,
  readCases,
  sameSkills,
  writeRefusals,
} from './testing/given.ts'

type G = Given<Skill>

const body = (more: object = {}) => ({ name: freshName(), description: 'D', instructions: 'Do.', files: [], ...more })

scenarios('skills.publish', sameSkills, [
  {
    claim: 'with everything that a skill can say',
    as: 'key:knowledge:write',
    body: () =>
      body({
        files: [{ path: 'scripts/run.sh', content: 'true' }],
        category: 'code',
        repo_url: 'https://example.com/r',
        license: 'MIT',
        allowed_tools: 'bash',
        compatibility: 'any',
        metadata: { k: 'v' },
        source_url: 'https://example.com',
        version_notes: 'N',
        disable_model_invocation: true,
        user_invocable: false,
        context: 'fork',
      }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
    check: ({ data }) => {
      expect(data).toMatchObject({
        visibility: 'private',
        repo_url: 'https://example.com/r',
        version: {
          skill_id: data.id,
          instructions: { path: 'SKILL.md', size: 3 },
          files: [{ path: 'scripts/run.sh' }],
          license: 'MIT',
          allowed_tools: 'bash',
          compatibility: 'any',
          metadata: { k: 'v' },
          disable_model_invocation: true,
          user_invocable: false,
          context: 'fork',
          version_notes: 'N',
        },
      })
      expect(data).not.toHaveProperty('type')
    },
  },
  {
    claim: 'an existing name gets a new version that keeps omitted fields',
    as: 'owner',
    act: async (world) => {
      const skill = await givenSkill(world, 'owner', { license: 'MIT' })
      const answer = await world.call('owner', 'POST /skills', {
        body: body({ name: skill.name, instructions: 'Two.' }),
      })
      expect(answer.data.id).toBe(skill.id)
      expect(answer.data.version_id).not.toBe(skill.version_id)
      return answer
    },
    status: 200,
    check: ({ data }) => expect(data.version).toMatchObject({ license: 'MIT', mutation_type: 'update' }),
  },
  {
    claim: 'concurrent calls with a new name: the first creates the skill, the others add versions',
    as: 'owner',
    act: async (world) => {
      const said = body()
      const publish = () => world.call('owner', 'POST /skills', { body: said })
      const answers = await Promise.all(Array.from({ length: 8 }, publish))
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1)
      return world.call('owner', `POST /skills/${answers[0]?.data.id}/versions/list`)
    },
    status: 200,
    check: ({ data }) => expect(data.total_items).toBe(8),
  },
  {
    claim: 'the instructions as the file SKILL.md',
    as: 'owner',
    body: () => body({ instructions: undefined, files: [{ path: 'SKILL.md', content: 'Me.' }] }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
    check: ({ data }) => expect(data.version).toMatchObject({ instructions: { path: 'SKILL.md' }, files: [] }),
  },
  {
    claim: 'null within the instructions counts as omitted',
    as: 'owner',
    body: () => body({ instructions: { path: null, content: 'Do it.' } }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
    check: ({ data }) => expect(data.version).toMatchObject({ instructions: { path: 'SKILL.md', size: 6 } }),
  },
  {
    claim: 'null for their text keeps the current text',
    as: 'owner',
    body: ({ own }: G) => body({ name: own.name, instructions: { path: 'SKILL.md', content: null } }),
    status: 200,
    audits: ['knowledge.updated'],
    emits: ['team/knowledge'],
    check: ({ data }, { own }) => expect(data.version.content_hash).toBe(own.version?.content_hash),
  },
  {
    claim: 'as a fork',
    as: 'owner',
    body: ({ foreign }: G) => body({ parent_skill_id: foreign.id, parent_version_id: foreign.version_id }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
    check: ({ data }) => expect(data.version.mutation_type).toBe('fork'),
  },
  {
    claim: 'a fork of a skill that the caller cannot see',
    as: 'owner',
    body: ({ secret }: G) => body({ parent_skill_id: secret.id }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a fork of an own private skill, without the read scope',
    as: 'key:knowledge:write',
    body: ({ own }: G) => body({ parent_skill_id: own.id }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a fork of an own private skill, with the read scope',
    as: 'key:knowledge:read,knowledge:write',
    body: ({ own }: G) => body({ parent_skill_id: own.id }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'a fork of a public skill, without the read scope',
    as: 'key:knowledge:write',
    body: ({ foreign }: G) => body({ parent_skill_id: foreign.id }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'a fork of an entry that is not a skill',
    as: 'owner',
    act: async (world) => {
      const entry = await givenEntry(world, 'owner')
      return world.call('owner', 'POST /skills', { body: body({ parent_skill_id: entry.id }) })
    },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'without instructions',
    as: 'owner',
    body: () => body({ instructions: undefined }),
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'the description is too long',
    as: 'owner',
    body: () => body({ description: 'x'.repeat(1025) }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'the name of an entry that is not a skill',
    as: 'owner',
    act: async (world) => {
      const entry = await givenEntry(world, 'owner')
      return world.call('owner', 'POST /skills', { body: body({ name: entry.name }) })
    },
    status: 409,
    code: 'name_conflict',
  },
  {
    claim: 'the name of a colleague’s private skill: refused without details',
    as: 'member',
    body: ({ own }: G) => body({ name: own.name }),
    status: 409,
    code: 'name_conflict',
  },
])
scenarios(
  'skills.publish',
  async (world) => {
    await givenSkill(world, 'owner')
    await setEntitlement(world.ctx(), world.team.id, 'knowledge_bases', 1)
  },
  [{ claim: 'the plan is full', as: 'owner', body: () => body(), status: 402, code: 'limit_exceeded' }],
  ownWorld,
)

/** The workspace's usage policy excludes public resources of others. */
const bounded = async (world: World): Promise<G> => {
  const given = await givenSkills(world)
  const options = { team: 'mill', knowledge: 'own' }
  await commands['usage-policy']?.run(world.open, { positionals: ['set'], options })
  return given
}

scenarios(
  'skills.publish',
  bounded,
  [
    {
      claim: 'a fork of a public skill that the usage policy excludes',
      as: 'owner',
      body: ({ foreign }: G) => body({ parent_skill_id: foreign.id }),
      status: 403,
      code: 'blocked_by_usage_policy',
    },
    {
      claim: 'a fork of a skill that the usage policy allows',
      as: 'owner',
      body: ({ own }: G) => body({ parent_skill_id: own.id }),
      status: 200,
      audits: ['knowledge.created'],
      emits: ['team/knowledge'],
    },
  ],
  ownWorld,
)
scenarios(
  'skills.update',
  bounded,
  [
    {
      claim: 'a fork of a public skill that the usage policy excludes',
      as: 'owner',
      path: at('own'),
      body: ({ foreign }: G) => ({ parent_skill_id: foreign.id }),
      status: 403,
      code: 'blocked_by_usage_policy',
    },
  ],
  ownWorld,
)

scenarios('skills.get', sameSkills, [
  ...readCases<Skill>(),
  {
    claim: 'an entry that is not a skill',
    as: 'owner',
    act: async (world) => world.call('owner', `GET /skills/${(await givenEntry(world, 'owner')).id}`),
    status: 404,
    code: 'not_found',
  },
])
scenarios('skills.get_by_ref', sameSkills, readCases<Skill>())
scenarios('skills.get_version', sameSkills, readCases<Skill>())

scenarios('skills.content', givenSkills, [
  {
    claim: 'the instructions; counts as a use',
    as: 'owner',
    path: at('own'),
    status: 200,
    check: async ({ data }, { own }, world) => {
      expect(data).toEqual({ content: 'Do it.' })
      expect((await world.call('owner', `GET /skills/${own.id}`)).data).toMatchObject({ uses: 1, installs: 0 })
    },
  },
  ...readCases<Skill>(),
])

scenarios('skills.download', givenSkills, [
  {
    claim: 'all files; counts as an install',
    as: 'owner',
    path: at('own'),
    status: 200,
    check: async ({ data }, { own }, world) => {
      expect(data).toMatchObject({
        namespace: 'mill',
        name: own.name,
        version: own.version_id,
        description: 'How to do it',
        mutation_type: 'create',
        files: [{ path: 'SKILL.md', content: 'Do it.' }],
      })
      expect((await world.call('owner', `GET /skills/${own.id}`)).data).toMatchObject({ uses: 0, installs: 1 })
    },
  },
  ...readCases<Skill>(),
])

scenarios('skills.resolve', sameSkills, [
  {
    claim: 'by ref',
    as: null,
    query: ({ foreign }: G) => ({ ref: `other/${foreign.name}` }),
    status: 200,
    check: ({ data }, { foreign }) =>
      expect(data).toEqual({ source: 'store', namespace: 'other', name: foreign.name, content: 'Do it.' }),
  },
  {
    claim: 'by its bare name in its own workspace',
    as: 'owner',
    query: ({ own }: G) => ({ ref: own.name }),
    status: 200,
  },
  {
    claim: 'by namespace and name',
    as: 'owner',
    query: ({ own }: G) => ({ ref: 'mill', skill: own.name }),
    status: 200,
  },
  {
    claim: 'a private skill of another member',
    as: 'stranger',
    query: ({ own }: G) => ({ ref: `mill/${own.name}` }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'unknown', as: 'owner', query: { ref: 'https://x' }, status: 404, code: 'not_found' },
  { claim: 'nothing', as: 'owner', query: {}, status: 400, code: 'invalid_request' },
])

scenarios('skills.list', sameSkills, [
  {
    claim: 'only skills of the workspace',
    as: 'owner',
    query: { limit: '-1' },
    status: 200,
    check: async ({ data }, given, world) => {
      const entry = await givenEntry(world, 'owner')
      expect(ids(data)).toContain(given.own.id)
      expect(ids(data)).not.toContain(given.hidden.id)
      const again = await world.call('owner', 'GET /skills?limit=-1')
      expect(ids(again.data)).not.toContain(entry.id)
    },
  },
  { claim: 'public skills, signed out', as: null, status: 200 },
  ...listRefusals<Skill>('POST /skills/list'),
])

scenarios('skills.versions', sameSkills, [
  {
    claim: 'its versions',
    as: 'owner',
    path: at('own'),
    status: 200,
    check: ({ data }, { own }) => expect(data.items[0].skill_id).toBe(own.id),
  },
  ...readCases<Skill>(),
  ...listRefusals<Skill>('POST /skills/:id/versions/list', at('own')),
])

scenarios('skills.update', givenSkills, [
  {
    claim: 'with its files as they were read',
    as: 'owner',
    act: async (world) => {
      const skill = await givenSkill(world, 'owner', { files: [{ path: 'run.sh', content: 'true' }] })
      return world.call('owner', `POST /skills/${skill.id}`, {
        body: { instructions: skill.version?.instructions, files: skill.version?.files, version_notes: 'N' },
      })
    },
    status: 200,
    check: ({ data }) =>
      expect(data.version).toMatchObject({ instructions: { size: 6 }, files: [{ path: 'run.sh', size: 4 }] }),
  },
  {
    claim: 'other instructions',
    as: 'member',
    path: at('shared'),
    body: { instructions: { path: 'HOW.md', content: 'New.' }, tags: ['t'] },
    status: 200,
    audits: ['knowledge.updated'],
    emits: ['team/knowledge'],
    check: ({ data }) =>
      expect(data).toMatchObject({ version: { instructions: { path: 'HOW.md', size: 4 }, tags: ['t'] } }),
  },
  {
    claim: 'a stale tag',
    as: 'owner',
    path: at('own'),
    headers: { 'if-match': '"stale"' },
    body: {},
    status: 412,
    code: 'precondition_failed',
  },
  {
    claim: 'its own child as the parent',
    as: 'owner',
    path: at('own'),
    body: ({ own }: G) => ({ parent_skill_id: own.id }),
    status: 400,
    code: 'validation_error',
  },
  ...writeRefusals<Skill>({}),
])

scenarios('skills.set_visibility', givenSkills, [
  {
    claim: 'public',
    as: 'owner',
    path: at('own'),
    body: { visibility: 'public' },
    status: 200,
    audits: ['knowledge.visibility_changed'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'a member who is not the creator widens the visibility',
    as: 'member',
    path: at('shared'),
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  { claim: 'nonsense', as: 'owner', path: at('own'), body: { visibility: 'x' }, status: 400, code: 'validation_error' },
  ...writeRefusals<Skill>({ visibility: 'private' }),
])

scenarios(
  'skills.transfer',
  async (world: World) => {
    const given = await givenSkills(world)
    await addMember(world.ctx(), world.otherTeam.id, world.people.owner.userId, 'member')
    return given
  },
  [
    {
      claim: 'to another workspace',
      as: 'owner',
      act: (world, { own }) =>
        world.call('owner', `POST /skills/${own.id}/transfer`, { body: { team_id: world.otherTeam.id } }),
      status: 200,
      check: ({ data }) => expect(data.namespace).toBe('other'),
    },
    {
      claim: 'the name is taken in the target workspace',
      as: 'owner',
      act: async (world, { own }) => {
        await givenEntry(world, 'stranger', { name: own.name })
        return world.call('owner', `POST /skills/${own.id}/transfer`, { body: { team_id: world.otherTeam.id } })
      },
      status: 409,
      code: 'name_conflict',
    },
    {
      claim: 'the plan of the target workspace is full',
      as: 'owner',
      act: async (world, { own }) => {
        await setEntitlement(world.ctx(), world.otherTeam.id, 'knowledge_bases', 1)
        const body = { team_id: world.otherTeam.id }
        const answer = await world.call('owner', `POST /skills/${own.id}/transfer`, { body })
        await setEntitlement(world.ctx(), world.otherTeam.id, 'knowledge_bases', null)
        return answer
      },
      status: 402,
      code: 'limit_exceeded',
    },
    {
      claim: 'by a member without the admin role',
      as: 'member',
      path: at('shared'),
      body: { team_id: 'x' },
      status: 403,
      code: 'team_role_required',
    },
    { claim: 'to nowhere', as: 'owner', path: at('own'), body: {}, status: 400, code: 'invalid_request' },
    ...writeRefusals<Skill>({ team_id: 'x' }).filter((row) => row.as !== 'member'),
  ],
  ownWorld,
)

scenarios('skills.delete', givenSkills, [
  {
    claim: 'gone',
    as: 'owner',
    path: at('own'),
    status: 200,
    audits: ['knowledge.deleted'],
    emits: ['team/knowledge'],
  },
  ...writeRefusals<Skill>(),
])

scenarios('store.skills', sameSkills, [
  {
    claim: 'every public skill, for everyone',
    as: null,
    query: { limit: '-1' },
    status: 200,
    check: async ({ data }, { foreign, own }, world) => {
      const item = data.items.find((one: { id: string }) => one.id === foreign.id)
      expect(item).toEqual({
        id: foreign.id,
        category: 'other',
        namespace: 'other',
        name: foreign.name,
        description: foreign.description,
        is_featured: false,
        rank: 0,
        has_approved_version: true,
      })
      expect(ids(data)).not.toContain(own.id)
      await world.open.platform.db
        .updateTable('knowledge')
        .set({ delisted: true })
        .where('id', '=', foreign.id)
        .execute()
      const later = await world.call(null, 'POST /store/skills/list', { body: { limit: -1 } })
      expect(ids(later.data)).not.toContain(foreign.id)
    },
  },
  ...listRefusals<Skill>('POST /store/skills/list'),
])

scenarios('store.set_skill_listing', givenSkills, [
  {
    claim: 'changes only the given fields; a removed skill is found only by its own workspace',
    as: 'platform',
    path: at('foreign'),
    body: { is_featured: true, rank: 9 },
    status: 200,
    audits: ['knowledge.listing_changed'],
    check: async ({ data }, { foreign }, world) => {
      expect(data).toMatchObject({ id: foreign.id, is_featured: true, rank: 9 })
      const first = await world.call(null, 'POST /store/skills/list', { body: { limit: 1 } })
      expect([...ids(first.data)]).toEqual([foreign.id])
      const again = await world.call('platform', `POST /store/skills/${foreign.id}`, { body: { delisted: true } })
      expect(again.data).toMatchObject({ is_featured: true, rank: 9 })
      expect(ids((await world.call(null, 'POST /store/skills/list', { body: { limit: -1 } })).data)).not.toContain(
        foreign.id,
      )
      const found = async (as: 'member' | 'stranger') => {
        const { data } = await world.call(as, 'POST /search', {
          body: { query: foreign.name, collections: ['skills'] },
        })
        return data.results.map(({ id }: { id: string }) => id)
      }
      expect(await found('member')).not.toContain(foreign.id)
      expect(await found('stranger')).toContain(foreign.id)
    },
  },
  {
    claim: 'no change is given',
    as: 'platform',
    path: at('foreign'),
    body: {},
    status: 200,
    audits: ['knowledge.listing_changed'],
  },
  {
    claim: 'no rank',
    as: 'platform',
    path: at('foreign'),
    body: { rank: 'first' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an entry that is not a skill',
    as: 'platform',
    act: async (world) =>
      world.call('platform', `POST /store/skills/${(await givenEntry(world, 'owner')).id}`, { body: {} }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'the owner is not enough', as: 'stranger', path: at('foreign'), body: {}, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', path: at('foreign'), body: {}, status: 403, code: 'requires_sign_in' },
])
