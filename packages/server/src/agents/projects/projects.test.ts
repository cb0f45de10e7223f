// Guarantees: projects form a tree without cycles that only permitted members read and change; contents of a project
// can be moved and survive its deletion.
import type { Project } from '@millrace/contract/projects'
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { As, World } from '../../testing/world.ts'

const make = async (world: World, as: As, body: object = {}): Promise<Project> => {
  const answer = await world.call(as, 'POST /projects', { body: { name: 'P', type: 'other', ...body } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}
const show = (world: World, as: As, { id }: Project, visibility: string) =>
  world.call(as, `POST /projects/${id}/visibility`, { body: { visibility } })

const prepare = async (world: World) => {
  const shared = await make(world, 'owner')
  const own = await make(world, 'owner')
  const foreign = await make(world, 'stranger')
  await show(world, 'owner', shared, 'team')
  await show(world, 'stranger', foreign, 'public')
  return { shared, own, foreign }
}
type Given = Awaited<ReturnType<typeof prepare>>
const at = (which: keyof Given) => (given: Given) => ({ id: given[which].id })

const refusals = (scope: string, body?: unknown) => [
  { claim: 'no credential', as: null, path: at('shared'), body, status: 401, code: 'unauthorized' },
  {
    claim: 'without the scope',
    as: `key:${scope}` as const,
    path: at('shared'),
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace', as: 'stranger' as const, path: at('shared'), body, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner' as const, path: { id: '0'.repeat(26) }, body, status: 404, code: 'not_found' },
]
const readOnly = (body?: unknown) => ({
  claim: 'a public one of another workspace',
  as: 'owner' as const,
  path: at('foreign'),
  body,
  status: 403,
  code: 'forbidden',
})

scenarios('projects.create', prepare, [
  {
    claim: 'below another one',
    as: 'owner',
    body: ({ own }: Given) => ({
      name: 'Child',
      type: 'agent',
      description: 'D',
      color: 'red',
      icon: 'i',
      parent_id: own.id,
    }),
    status: 200,
    audits: ['project.created'],
    check: async ({ data }, { own }, world) => {
      expect(data).toMatchObject({
        name: 'Child',
        type: 'agent',
        color: 'red',
        icon: 'i',
        visibility: 'private',
        parent_id: own.id,
        parent: { id: own.id },
        children: [],
      })
      const parent = await world.call('owner', `GET /projects/${own.id}`)
      expect(parent.data.children).toMatchObject([{ id: data.id }])
    },
  },
  { claim: 'without a type', as: 'owner', body: { name: 'P' }, status: 400, code: 'invalid_request' },
  { claim: 'without a type', as: 'owner', body: { name: 'P', type: 'x' }, status: 400, code: 'validation_error' },
  {
    claim: 'below one of another workspace',
    as: 'owner',
    body: ({ foreign }: Given) => ({ name: 'P', type: 'other', parent_id: foreign.id }),
    status: 400,
    code: 'validation_error',
  },
])

scenarios('projects.get', prepare, [
  { claim: 'one of the workspace', as: 'member', path: at('shared'), status: 200 },
  { claim: 'a private one of a colleague', as: 'member', path: at('own'), status: 404, code: 'not_found' },
  {
    claim: 'children that the reader may not read are left out',
    as: 'member',
    act: async (world, { shared }) => {
      await make(world, 'owner', { parent_id: shared.id })
      return world.call('member', `GET /projects/${shared.id}`)
    },
    status: 200,
    check: ({ data }) => expect(data.children).toEqual([]),
  },
  ...refusals('apps:read'),
])

scenarios('projects.list', prepare, [
  {
    claim: 'by parent',
    as: 'owner',
    act: async (world, { own }) => {
      await make(world, 'owner', { parent_id: own.id })
      const filters = [{ field: 'parent_id', operator: 'eq', value: own.id }]
      return world.call('owner', 'POST /projects/list', { body: { filters } })
    },
    status: 200,
    check: ({ data }) => expect(data.items).toHaveLength(1),
  },
  {
    claim: 'an unknown column',
    as: 'owner',
    query: { sort: '[{"field":"x"}]' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a broken cursor', as: 'owner', query: { cursor: 'x' }, status: 400, code: 'invalid_request' },
])

scenarios('projects.update', prepare, [
  {
    claim: 'any member changes a project that is not private',
    as: 'member',
    path: at('shared'),
    body: { name: 'New' },
    status: 200,
    audits: ['project.updated'],
  },
  {
    claim: 'back to the top level',
    as: 'owner',
    act: async (world, { own }) => {
      const child = await make(world, 'owner', { parent_id: own.id })
      return world.call('owner', `POST /projects/${child.id}`, { body: { parent_id: null } })
    },
    status: 200,
    check: ({ data }) => expect(data.parent_id).toBeNull(),
  },
  {
    claim: 'into its own grandchild',
    as: 'owner',
    act: async (world, { own }) => {
      const child = await make(world, 'owner', { parent_id: own.id })
      const grandchild = await make(world, 'owner', { parent_id: child.id })
      return world.call('owner', `POST /projects/${own.id}`, { body: { parent_id: grandchild.id } })
    },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'two concurrent moves into each other: one succeeds',
    as: 'owner',
    act: async (world, { own, shared }) => {
      const put = (child: Project, parent: Project) =>
        world.call('owner', `POST /projects/${child.id}`, { body: { parent_id: parent.id } })
      const answers = await Promise.all([put(own, shared), put(shared, own)])
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
      return answers.find((answer) => answer.status === 200) ?? put(own, shared)
    },
    status: 200,
  },
  readOnly({ name: 'N' }),
  ...refusals('projects:read', { name: 'N' }),
])

scenarios('projects.set_visibility', prepare, [
  {
    claim: 'its creator',
    as: 'owner',
    path: at('own'),
    body: { visibility: 'team' },
    status: 200,
    audits: ['project.visibility_changed'],
  },
  {
    claim: 'somebody else',
    as: 'member',
    path: at('shared'),
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  { claim: 'nonsense', as: 'owner', path: at('own'), body: { visibility: 'x' }, status: 400, code: 'validation_error' },
  readOnly({ visibility: 'private' }),
  ...refusals('projects:read', { visibility: 'team' }),
])

const givenAgent = async (world: World, as: As = 'owner'): Promise<string> => {
  const name = `agent-${Math.random().toString(36).slice(2, 10)}`
  const answer = await world.call(as, 'POST /agents', {
    body: { name, version: { description: 'D', system_prompt: 'P' } },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data.id
}

scenarios('projects.move', async (world) => ({ ...(await prepare(world)), agent: await givenAgent(world) }), [
  {
    claim: 'an agent goes in',
    as: 'owner',
    body: ({ own, agent }: Given & { agent: string }) => ({ project_id: own.id, agent_id: agent }),
    status: 200,
    audits: ['project.moved'],
    check: ({ data }, { own, agent }) => expect(data).toMatchObject({ id: agent, project_id: own.id }),
  },
  {
    claim: 'an agent is moved in and out, and survives the deletion of its project',
    as: 'owner',
    act: async (world, { own, agent }) => {
      const move = (project_id: string | null) =>
        world.call('owner', 'POST /projects/move', { body: { project_id, agent_id: agent } })
      const inside = await move(own.id)
      expect(inside.data).toMatchObject({ id: agent, project_id: own.id })
      expect((await move(null)).data.project_id ?? null).toBeNull()
      await move(own.id)
      await world.call('owner', `DELETE /projects/${own.id}`)
      return world.call('owner', `GET /agents/${agent}`)
    },
    status: 200,
    check: ({ data }) => expect(data.project_id ?? null).toBeNull(),
  },
  {
    claim: 'two resources at once',
    as: 'owner',
    body: { project_id: null, agent_id: 'a', chat_id: 'b' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'nothing', as: 'owner', body: { project_id: null }, status: 400, code: 'validation_error' },
  { claim: 'without a project_id', as: 'owner', body: { agent_id: 'a' }, status: 400, code: 'invalid_request' },
  {
    claim: 'into a project of another workspace',
    as: 'owner',
    body: ({ foreign, agent }: Given & { agent: string }) => ({ project_id: foreign.id, agent_id: agent }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an agent that does not exist',
    as: 'owner',
    body: { project_id: null, agent_id: '0'.repeat(26) },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a public agent of another workspace',
    as: 'owner',
    act: async (world) => {
      const agent = await givenAgent(world, 'stranger')
      await world.call('stranger', `POST /agents/${agent}/visibility`, { body: { visibility: 'public' } })
      return world.call('owner', 'POST /projects/move', { body: { project_id: null, agent_id: agent } })
    },
    status: 403,
    code: 'forbidden',
  },
  {
    claim: 'with the right to change agents, and without that to read them',
    as: 'key:projects:write,agents:write',
    body: ({ own, agent }: Given & { agent: string }) => ({ project_id: own.id, agent_id: agent }),
    status: 200,
    audits: ['project.moved'],
    check: ({ data }, { own, agent }) => expect(data).toMatchObject({ id: agent, project_id: own.id }),
  },
  {
    claim: 'without the scope to change agents',
    as: 'key:projects:write',
    body: ({ agent }: { agent: string }) => ({ project_id: null, agent_id: agent }),
    status: 403,
    code: 'insufficient_scope',
  },
])

scenarios('projects.delete', prepare, [
  {
    claim: 'its children move to its parent',
    as: 'owner',
    act: async (world, { own }) => {
      const middle = await make(world, 'owner', { parent_id: own.id })
      const leaf = await make(world, 'owner', { parent_id: middle.id })
      const answer = await world.call('owner', `DELETE /projects/${middle.id}`)
      expect((await world.call('owner', `GET /projects/${leaf.id}`)).data.parent_id).toBe(own.id)
      return answer
    },
    status: 200,
    audits: ['project.deleted'],
  },
  readOnly(),
  ...refusals('projects:read'),
])
