// Guarantees: new texts are found at once by name, words, prefixes and misspelled words, only by callers who may see
// them. Suggestions are few and relevant and include a command. Reports are stored within limits.
import { newId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { givenFlow, showFlow } from '#automation/flows/testing/given.ts'
import { deploy, show as showApp } from '#execution/apps/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { givenEntry, givenSkill, show, text } from '../knowledge/testing/given.ts'

const once = new WeakMap<World, ReturnType<typeof prepare>>()
const given = (world: World) => {
  const known = once.get(world) ?? prepare(world)
  once.set(world, known)
  return known
}

const prepare = async (world: World) => {
  const about = { description: 'Enlarges photographs without losing detail' }
  return {
    app: await showApp(world, 'owner', await deploy(world, 'owner', about), 'public'),
    skill: await show(
      world,
      'owner',
      await givenSkill(world, 'owner', { name: 'photo-enlarging', description: 'How photographs are enlarged' }),
      'public',
    ),
    entry: await show(
      world,
      'owner',
      await givenEntry(world, 'owner', {
        name: 'darkroom-notes',
        description: 'Notes on the darkroom',
        version: {
          ...text('The enlarger hums at night, in poor visibility. Zyxophone.'),
          tags: ['analogue'],
          scope: ['lang:quokka'],
        },
      }),
      'team',
    ),
    own: await givenEntry(world, 'owner', { name: 'my-darkroom-secret', description: 'Private darkroom thoughts' }),
    flow: await showFlow(world, 'owner', await givenFlow(world, 'owner', { title: 'Darkroom flow' }), 'public'),
  }
}

type Hit = { id: string; collection: string; score: number; fields: Record<string, unknown> }
const found = (data: { results: Hit[] }) => data.results.map((hit) => hit.id)

scenarios('search.query', given, [
  {
    claim: 'an inflected word of the text, with the type of the result',
    as: 'member',
    query: { q: 'enlarging' },
    status: 200,
    check: ({ data }, { entry, skill, app }) => {
      expect(data.query).toBe('enlarging')
      expect(new Set(found(data))).toEqual(new Set([entry.id, skill.id, app.id]))
      const hit = data.results.find((one: Hit) => one.id === entry.id)
      expect(hit).toMatchObject({
        collection: 'knowledge',
        fields: { namespace: 'mill', name: 'darkroom-notes', description: entry.description, tags: ['analogue'] },
      })
      expect(data.results.every((one: Hit) => one.score > 0 && one.score <= 1)).toBe(true)
    },
  },
  {
    claim: 'a rare word in the text',
    as: 'member',
    query: { q: 'zyxophone' },
    status: 200,
    check: ({ data }, { entry }) => expect(found(data)).toEqual([entry.id]),
  },
  {
    claim: 'a tag',
    as: 'owner',
    query: { q: 'analogue' },
    status: 200,
    check: ({ data }, { entry }) => expect(found(data)).toEqual([entry.id]),
  },
  {
    claim: 'a prefix',
    as: 'owner',
    query: { q: 'darkr' },
    status: 200,
    check: ({ data }, { entry, own, flow }) =>
      expect(new Set(found(data))).toEqual(new Set([entry.id, own.id, flow.id])),
  },
  {
    claim: 'a misspelled word',
    as: 'owner',
    query: { q: 'darkrom', collection: 'knowledge' },
    status: 200,
    check: ({ data }, { entry }) => expect(found(data)).toContain(entry.id),
  },
  {
    claim: 'a word whose lexeme sorts after it',
    as: 'owner',
    query: { q: 'visibility', collection: 'knowledge' },
    status: 200,
    check: ({ data }, { entry }) => expect(found(data)).toContain(entry.id),
  },
  {
    claim: 'a scope tag counts for the meaning, not for the words',
    as: 'owner',
    query: { q: 'quokka' },
    status: 200,
    check: ({ data }) => expect(data.results).toEqual([]),
  },
  {
    claim: 'an admin does not find private entries of others',
    as: 'admin',
    query: { q: 'darkroom' },
    status: 200,
    check: ({ data }, { own }) => expect(found(data)).not.toContain(own.id),
  },
  {
    claim: 'a stranger finds public entries',
    as: 'stranger',
    query: { q: 'darkroom' },
    status: 200,
    check: ({ data }, { flow }) => expect(found(data)).toEqual([flow.id]),
  },
  {
    claim: 'a caller without the scope of a kind finds public entries',
    as: 'key:flows:read',
    query: { q: 'darkroom' },
    status: 200,
    check: ({ data }, { flow }) => expect(found(data)).toEqual([flow.id]),
  },
  {
    claim: 'a signed-out caller finds public entries',
    as: null,
    query: { q: 'darkroom' },
    status: 200,
    check: ({ data }, { flow }) => expect(found(data)).toEqual([flow.id]),
  },
  { claim: 'only stop words', as: null, query: { q: 'the of and' }, status: 200 },
  { claim: 'text with query syntax', as: null, query: { q: "a & | ! <-> (':*" }, status: 200 },
  { claim: 'without a query', as: null, query: {}, status: 400, code: 'invalid_request' },
  { claim: 'an empty query', as: null, query: { q: ' ' }, status: 400, code: 'invalid_request' },
  {
    claim: 'an unknown collection',
    as: null,
    query: { q: 'x', collection: 'secrets' },
    status: 400,
    code: 'validation_error',
  },
])

scenarios('search.find', given, [
  {
    claim: 'selected collections, some results of each',
    as: 'owner',
    body: { query: 'darkroom', collections: ['knowledge', 'flows'], limit: 1 },
    status: 200,
    check: ({ data }) => expect(data.results.map((hit: Hit) => hit.collection).sort()).toEqual(['flows', 'knowledge']),
  },
  {
    claim: 'with the field names of the published client',
    as: null,
    body: { q: 'photographs', type: 'skills' },
    status: 200,
    check: ({ data }, { skill }) => {
      expect(data.query).toBe('photographs')
      expect(found(data)).toEqual([skill.id])
    },
  },
  { claim: 'without a query', as: 'owner', body: {}, status: 400, code: 'invalid_request' },
  { claim: 'no limit', as: 'owner', body: { query: 'x', limit: 0 }, status: 400, code: 'validation_error' },
  {
    claim: 'a skill removed from the store is then found only by its own workspace',
    as: null,
    act: async (world) => {
      const name = `hidden-${newId().slice(0, 8)}`
      const skill = await show(world, 'owner', await givenSkill(world, 'owner', { name }), 'public')
      const seenBy = async (as: 'owner' | null) =>
        found((await world.call(as, 'POST /search', { body: { query: name, collections: ['skills'] } })).data)
      expect(await seenBy(null)).toContain(skill.id)
      await world.open.platform.db.updateTable('knowledge').set({ delisted: true }).where('id', '=', skill.id).execute()
      expect(await seenBy('owner')).toContain(skill.id)
      return world.call(null, 'POST /search', { body: { query: name, collections: ['skills'] } })
    },
    status: 200,
    check: ({ data }) => expect(data.results).toEqual([]),
  },
  {
    claim: 'an entry that is retired, deleted or made private is missing from the next result',
    as: null,
    act: async (world) => {
      const about = { description: 'Vanishing quagga' }
      const app = await showApp(world, 'owner', await deploy(world, 'owner', about), 'public')
      const [one, two] = [await givenSkill(world, 'owner', about), await givenSkill(world, 'owner', about)]
      for (const skill of [one, two]) await show(world, 'owner', skill, 'public')
      const ask = () => world.call(null, 'POST /search', { body: { query: 'quagga' } })
      expect((await ask()).data.results).toHaveLength(3)
      await world.call('owner', `POST /apps/${app.id}/status`, { body: { status: 'retired' } })
      await world.call('owner', `DELETE /skills/${one.id}`)
      await show(world, 'owner', two, 'private')
      return ask()
    },
    status: 200,
    check: ({ data }) => expect(data.results).toEqual([]),
  },
])

scenarios('suggest.find', given, [
  {
    claim: 'relevant resources, with a command',
    as: null,
    body: { query: 'How photographs are enlarged' },
    status: 200,
    check: ({ data }, { skill }) => {
      expect(data.results[0]).toMatchObject({
        type: 'skill',
        name: `mill/${skill.name}`,
        description: skill.description,
        command: `millrace skill show mill/${skill.name}`,
      })
      expect(data.results[0].score).toBeGreaterThanOrEqual(0.8)
      expect(data.impression_id).toMatch(/^[0-9a-z]{26}$/)
    },
  },
  {
    claim: 'flows are not suggested',
    as: 'owner',
    body: { query: 'Darkroom flow' },
    status: 200,
    check: ({ data }, { flow }) =>
      expect(data.results.map((one: { name: string }) => one.name)).not.toContain(`mill/${flow.name}`),
  },
  {
    claim: 'one category',
    as: 'owner',
    body: { query: 'photographs', category: 'skill', agent: true, scope: ['lang:go'], context: 'We spoke.' },
    status: 200,
    check: ({ data }) =>
      expect(new Set(data.results.map((one: { type: string }) => one.type))).toEqual(new Set(['skill'])),
  },
  {
    claim: 'a query without any match',
    as: 'owner',
    body: { query: 'qwrtzpsdfg xkcdvbnm' },
    status: 200,
    check: ({ data }) => {
      expect(data.results).toEqual([])
      expect(data).not.toHaveProperty('impression_id')
    },
  },
  {
    claim: 'copies of one content count once, and so does one name in several namespaces',
    as: 'owner',
    act: async (world) => {
      const description = 'Kumquat marmalade recipe'
      const first = await givenSkill(world, 'owner', { description, instructions: 'Boil kumquats.' })
      await world.call('owner', `POST /skills/${first.id}/duplicate`)
      const namesake = await givenSkill(world, 'stranger', {
        name: first.name,
        description,
        instructions: 'Differently.',
      })
      await show(world, 'stranger', namesake, 'public')
      return world.call('owner', 'POST /suggest', { body: { query: description, category: 'skill' } })
    },
    status: 200,
    check: ({ data }) => expect(data.results).toHaveLength(1),
  },
  {
    claim: 'without entries from the origin of the caller',
    as: 'owner',
    act: async (world) => {
      await givenEntry(world, 'owner', {
        description: 'Echo chamber walrus',
        version: { ...text('x'), origin: 'chat-1' },
      })
      const ask = (origin: string) =>
        world.call('owner', 'POST /suggest', { body: { query: 'Echo chamber walrus', origin } })
      expect((await ask('chat-2')).data.results).toHaveLength(1)
      return ask('chat-1')
    },
    status: 200,
    check: ({ data }) => expect(data.results).toEqual([]),
  },
  { claim: 'without a query', as: 'owner', body: {}, status: 400, code: 'invalid_request' },
  {
    claim: 'an unknown category',
    as: 'owner',
    body: { query: 'x', category: 'flow' },
    status: 400,
    code: 'validation_error',
  },
])

scenarios('suggest.query', given, [
  { claim: 'by query', as: null, query: { q: 'photographs' }, status: 200 },
  { claim: 'without one', as: null, query: {}, status: 400, code: 'invalid_request' },
])

const conversions = async (world: World) =>
  world.open.platform.db.selectFrom('search_conversions').select(['impression_id', 'resource_name']).execute()

scenarios('suggest.convert', given, [
  ...(['owner', null] as const).map((as) => ({
    claim: `a suggestion to ${as ?? 'an anonymous caller'} that was used, once`,
    as,
    act: async (world: World) => {
      const shown = await world.call(as, 'POST /suggest', { body: { query: 'How photographs are enlarged' } })
      const body = { ref: shown.data.impression_id, resource_name: 'mill/photo-enlarging' }
      const before = (await conversions(world)).length
      await world.call(as, 'POST /suggest/convert', { body })
      const answer = await world.call(as, 'POST /suggest/convert', { body })
      expect(await conversions(world)).toHaveLength(before + 1)
      return answer
    },
    status: 200,
    check: ({ data }: { data: object }) => expect(data).toEqual({}),
  })),
  {
    claim: 'a suggestion to another caller, or none at all',
    as: 'member',
    act: async (world) => {
      const shown = await world.call('owner', 'POST /suggest', { body: { query: 'How photographs are enlarged' } })
      const before = await conversions(world)
      const say = (as: 'member' | 'owner' | null, ref: string, resource_name: string) =>
        world.call(as, 'POST /suggest/convert', { body: { ref, resource_name } })
      await say(null, shown.data.impression_id, 'mill/photo-enlarging')
      await say('owner', shown.data.impression_id, 'mill/never-shown')
      await say('owner', shown.data.impression_id.slice(0, 8), 'mill/photo-enlarging')
      const answer = await say('member', shown.data.impression_id, 'mill/photo-enlarging')
      expect(await conversions(world)).toEqual(before)
      return answer
    },
    status: 200,
  },
  {
    claim: 'a ref, name and type of impossible form',
    as: 'owner',
    body: { ref: 'r'.repeat(100), resource_name: 'n'.repeat(1_000), resource_type: 't'.repeat(100) },
    status: 200,
    check: ({ data }: { data: object }) => expect(data).toEqual({}),
  },
  { claim: 'without a name', as: 'owner', body: { ref: 'x' }, status: 400, code: 'invalid_request' },
  {
    claim: 'with an empty ref',
    as: 'owner',
    body: { ref: '', resource_name: 'mill/x' },
    status: 400,
    code: 'invalid_request',
  },
])

const sessions = (world: World, session_id: string) =>
  world.open.platform.db.selectFrom('agent_sessions').selectAll().where('session_id', '=', session_id).execute()

scenarios('agent_sessions.end', () => ({ session_id: newId() }), [
  {
    claim: 'one row per session, with the last report',
    as: 'member',
    act: async (world, { session_id }) => {
      const body = { session_id, agent: 'a', messages: 3, user_turns: 1, files_edited: -1, tools: ['bash'], cwd: '/x' }
      await world.call('member', 'POST /session/end', { body })
      return world.call('member', 'POST /session/end', { body: { ...body, user_turns: 9 } })
    },
    status: 200,
    check: async ({ data }, { session_id }, world) => {
      expect(data).toEqual({})
      expect(await sessions(world, session_id)).toMatchObject([
        { user_turns: 9, files_edited: 0, tools: ['bash'], team_id: world.team.id },
      ])
    },
  },
  {
    claim: 'a signed-out caller leaves no row',
    as: null,
    body: ({ session_id }: { session_id: string }) => ({ session_id, user_turns: 1 }),
    status: 200,
    check: async (_answer, { session_id }, world) => expect(await sessions(world, session_id)).toEqual([]),
  },
  {
    claim: 'no JSON',
    as: 'member',
    act: (world) =>
      world.call('member', 'POST /session/end', { body: '{', headers: { 'content-type': 'application/json' } }),
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a field of the wrong type',
    as: 'member',
    body: { session_id: 's', user_turns: 'two' },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'an oversized field',
    as: 'member',
    body: { summary: 'x'.repeat(65_536) },
    status: 413,
    code: 'payload_too_large',
  },
])
