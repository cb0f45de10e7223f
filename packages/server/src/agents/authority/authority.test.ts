// Guarantees: members who may read a step of their workspace see the whole chain of authority above it, no link is
// wider than the one before, and links they may not read are redacted.
import type { AuthorityLink } from '@millrace/contract/authority'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { from, graphOf } from '#automation/flow-runs/engine/testing/flow-builder.ts'
import {
  type GivenRuns,
  get,
  givenRuns,
  hidden,
  live,
  openApp,
  runGraph,
  shown as shownRun,
  unknownId,
} from '#automation/flow-runs/testing/given.ts'
import {
  type GivenTasks,
  givenApp,
  givenTasks,
  run as runTask,
  shown,
  waiting,
} from '#execution/tasks/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenAgent, modelApp } from '../agents/testing/given.ts'
import { answer, callsOf, getChat, modelTask, run, says } from '../chats/testing/given.ts'

const kinds = (data: { chain: AuthorityLink[] }) => data.chain.map(({ kind }) => kind)

scenarios('tasks.authority', givenTasks, [
  {
    claim: 'a task that a person ran',
    as: 'member',
    path: waiting,
    status: 200,
    check: ({ data }, given: GivenTasks) => {
      expect(kinds(data)).toEqual(['starter', 'task'])
      expect(data.chain[1]).toMatchObject({ id: given.waiting, scopes: expect.arrayContaining(['apps:execute']) })
      expect(data.tools).toEqual([])
    },
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: waiting, status: 404, code: 'not_found' },
  { claim: 'the chain of a public task is not public', as: 'stranger', path: shown, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
])

scenarios('flow_runs.authority', givenRuns, [
  {
    claim: 'a run and the tasks of its nodes',
    as: 'member',
    path: live,
    status: 200,
    check: ({ data }, { live, app }: GivenRuns) => {
      expect(kinds(data)).toEqual(['starter', 'flow_run'])
      expect(data.chain[1]).toMatchObject({ id: live.id, label: live.flow_id })
      expect(data.tools).toMatchObject([{ kind: 'task', label: `${app.namespace}/${app.name}` }])
    },
  },
  { claim: 'by its flow id', as: 'owner', route: 'GET /flow-runs/:id/authority', path: live, status: 200 },
  { claim: 'another workspace sees nothing', as: 'stranger', path: live, status: 404, code: 'not_found' },
  { claim: 'the chain of a public run is not public', as: 'stranger', path: shownRun, status: 404, code: 'not_found' },
  {
    claim: 'an admin reads it, which is audited',
    as: 'admin',
    path: hidden,
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
])

describe('chains', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ settings: { CHAT_MIN_BUSY_MS: '0' } })
  })
  afterAll(() => world?.close())

  const chainOf = async (route: string, as: 'owner' | 'member' = 'owner'): Promise<AuthorityLink[]> => {
    const { status, text, data } = await world.call(as, route)
    expect(status, text).toBe(200)
    for (const [index, link] of data.chain.entries())
      if (index > 0) expect(data.chain[index - 1].scopes).toEqual(expect.arrayContaining(link.scopes))
    return data.chain
  }

  /** An agent with an app as a tool. */
  const drawing = async () => {
    const [model, app] = [await modelApp(world), await openApp(world)]
    const tools = [{ name: 'draw', type: 'app', app: { id: app.id }, require_approval: true }]
    return { model, app, child: await givenAgent(world, 'owner', { core_app: { id: model.id }, tools }) }
  }

  const draw = async (chatId: string): Promise<string> => {
    await answer(world, chatId, says('', { name: 'draw' }))
    const [asked] = (await getChat(world, chatId)).pending_interrupts
    await world.call('owner', `POST /interrupts/${asked?.id}/resolve`, { body: { decision: 'allow' } })
    return (await callsOf(world, chatId))[0]?.execution_id ?? ''
  }

  it('from a trigger over an agent and its sub-agent to the task of an app', async () => {
    const { model, child, app } = await drawing()
    const tools = [{ name: 'helper', type: 'agent', agent: { id: child.id } }]
    const parent = await givenAgent(world, 'owner', { core_app: { id: model.id }, tools })
    const trigger = { name: 'Nightly', type: 'manual', action: 'run_agent', agent_id: parent.id }
    const made = await world.call('owner', 'POST /triggers', { body: trigger })
    const fired = await world.call('owner', `POST /triggers/${made.data.id}/fire`, { body: { text: 'go' } })
    await answer(world, fired.data.chat_id, says('', { name: 'helper', arguments: { message: 'draw' } }))
    const below = await world.call('owner', 'POST /chats/list', {
      body: { filters: [{ field: 'parent_id', value: fired.data.chat_id }] },
    })
    const taskId = await draw(below.data.items[0].id)
    const chain = await chainOf(`GET /tasks/${taskId}/authority`)
    expect(chain.map(({ kind }) => kind)).toEqual(['starter', 'trigger', 'run', 'tool', 'run', 'tool', 'task'])
    expect(chain[0]).toMatchObject({ label: 'person', user_id: expect.any(String) })
    expect(chain[1]).toMatchObject({ id: made.data.id, label: 'Nightly' })
    expect(chain[3]).toMatchObject({ label: 'helper', allowed_by: { kind: 'default' } })
    expect(chain[5]).toMatchObject({ label: 'draw', allowed_by: { kind: 'person' } })
    expect(chain[6]).toMatchObject({ id: taskId, label: `${app.namespace}/${app.name}` })
  })

  it('from a flow over an agent’s node to its model', async () => {
    const { child } = await drawing()
    const ask = { type: 'agentNode' as const, data: { agent_id: child.id }, inputs: { text: from('in', 'q') } }
    const flowRun = await runGraph(world, graphOf({ in: { type: 'inputNode' }, ask }), { input: { q: 'why?' } })
    const node = (await get(world, flowRun.id)).node_tasks.ask
    const { id } = await modelTask(world, node?.chat_id ?? '')
    const chain = await chainOf(`GET /tasks/${id}/authority`)
    expect(chain.map(({ kind }) => kind)).toEqual(['starter', 'flow_run', 'run', 'task'])
    const standIn = await chainOf(`GET /tasks/${node?.task_id}/authority`)
    expect(standIn.map(({ kind }) => kind)).toEqual(['starter', 'flow_run', 'task'])
  })

  it('from a key, with exactly its scopes and what the app is given by name', async () => {
    await world.call('owner', 'POST /secrets', { body: { key: 'PAINT', value: 'very secret' } })
    const app = await givenApp(world, {
      repository: 'https://bundles.example.com/any.zip',
      required_secrets: [{ key: 'PAINT' }],
    })
    const { id } = await runTask(world, app, {}, 'key:apps:execute,apps:read')
    const answered = await world.call('owner', `GET /tasks/${id}/authority`)
    const chain = await chainOf(`GET /tasks/${id}/authority`)
    expect(chain[0]).toMatchObject({ label: 'key', scopes: ['apps:read', 'apps:execute'] })
    expect(chain[1]).toMatchObject({ credential: { secrets: ['PAINT'], credentials: [] } })
    expect(answered.text).not.toContain('very secret')
  })

  it('hides a chat that the reader may not read', async () => {
    const { child } = await drawing()
    const said = await run(world, { agent_id: child.id })
    const taskId = await draw(said.assistant_message.chat_id)
    await world.call('owner', `POST /tasks/${taskId}/visibility`, { body: { visibility: 'team' } })
    const chain = await chainOf(`GET /tasks/${taskId}/authority`, 'member')
    expect(chain.map(({ kind, id }) => [kind, id === ''])).toEqual([
      ['starter', false],
      ['run', true],
      ['tool', true],
      ['task', false],
    ])
    expect(JSON.stringify(chain)).not.toContain(said.assistant_message.agent_run_id)
  })
})
