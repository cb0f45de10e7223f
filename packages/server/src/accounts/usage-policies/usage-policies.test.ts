// Guarantees: members cannot use anything outside the usage policy of their workspace, in any way, from the next
// request on; the refusal precedes those for requirements and money; only the operator changes a policy.
import type { Agent } from '@millrace/contract/agents'
import type { App } from '@millrace/contract/apps'
import type { Flow } from '@millrace/contract/flows'
import type { Knowledge } from '@millrace/contract/knowledge'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { givenAgent, modelApp, showAgent } from '#agents/agents/testing/given.ts'
import { startMcpServer, type TestMcpServer } from '#agents/mcp-servers/testing/mcp-server.ts'
import { from, graphOf } from '#automation/flow-runs/engine/testing/flow-builder.ts'
import { app, endTask, get, openApp, start, utilityGraph } from '#automation/flow-runs/testing/given.ts'
import { flowOf, showFlow } from '#automation/flows/testing/given.ts'
import { givenEntry, show as showEntry } from '#content/knowledge/testing/given.ts'
import { deploy, show } from '#execution/apps/testing/given.ts'
import { commands } from '#start/operator/commands.ts'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
let server: TestMcpServer
let theirApp: App
let ownApp: App
let theirAgent: Agent
let theirFlow: Flow
let theirEntry: Knowledge
beforeAll(async () => {
  world = await createWorld({ settings: { OUTBOUND_ALLOW: '127.0.0.0/8' } })
  server = await startMcpServer()
  theirApp = await show(world, 'stranger', await deploy(world, 'stranger'), 'public')
  ownApp = await openApp(world)
  const model = await modelApp(world, 'stranger')
  const core_app = { ref: `${model.namespace}/${model.name}` }
  theirAgent = await showAgent(world, 'stranger', await givenAgent(world, 'stranger', { core_app }), 'public')
  theirFlow = await showFlow(world, 'stranger', await flowOf(world, 'stranger', utilityGraph()), 'public')
  theirEntry = await showEntry(world, 'stranger', await givenEntry(world, 'stranger'), 'public')
})
afterAll(async () => {
  await world?.close()
  await server?.close()
})

const command = (verb: string, options: Record<string, string> = {}, team = 'mill') => {
  const found = commands['usage-policy']
  if (!found) throw new Error('Command not found')
  return found.run(world.open, { positionals: [verb], options: { team, ...options } })
}
afterEach(async () => {
  for (const team of ['mill', 'other']) await command('clear', {}, team).catch(() => undefined)
})

const runTheirs = (body: object = {}) =>
  world.call('member', 'POST /run', { body: { app_id: theirApp.id, input: { text: 'hi' }, ...body } })

it('an app outside is refused by name from the next request on, and again allowed once the policy is gone', async () => {
  expect((await runTheirs()).status).toBe(200)
  const { json } = await command('set', { apps: 'own' })
  const { usage_policy_id: id } = json as { usage_policy_id: string }
  const refused = await runTheirs()
  expect([refused.status, refused.code]).toEqual([403, 'blocked_by_usage_policy'])
  const resource = `other/${theirApp.name}`
  expect(refused.json).toMatchObject({
    detail: `The usage policy of this workspace does not include the app ${resource}`,
    meta: { resource_type: 'apps', resource, usage_policy_id: id },
  })
  expect((await world.call('member', 'POST /run', { body: { app_id: ownApp.id, input: {} } })).status).toBe(200)
  expect((await world.call('owner', `GET /teams/${world.team.id}`)).data.usage_policy_id).toBe(id)
  await command('set', { apps: `own,${resource}` })
  expect((await runTheirs()).status).toBe(200)
  expect((await world.call('owner', `GET /teams/${world.team.id}`)).data.usage_policy_id).toBe(id)
  await command('clear')
  expect((await world.call('owner', `GET /teams/${world.team.id}`)).data).not.toHaveProperty('usage_policy_id')
  expect((await world.audits()).slice(-3)).toEqual(['usage_policy.set', 'usage_policy.set', 'usage_policy.cleared'])
})

it('is judged before requirements, input and money', async () => {
  const version = { required_secrets: [{ key: 'TOKEN', description: 'x' }] }
  const needy = await show(world, 'stranger', await deploy(world, 'stranger', { version }), 'public')
  await world.call('platform', `PUT /store/apps/${needy.id}/pricing`, { body: { total_expression: '1000000' } })
  const runNeedy = () => world.call('owner', 'POST /run', { body: { app_id: needy.id, input: { text: 5 } } })
  await command('set', { apps: 'none' })
  expect((await runNeedy()).code).toBe('blocked_by_usage_policy')
  await command('clear')
  expect((await runNeedy()).code).not.toBe('blocked_by_usage_policy')
})

it('holds for the later steps of a flow run that began before', async () => {
  const graph = graphOf({
    in: { type: 'inputNode' },
    one: app(ownApp.id, { inputs: { text: from('in', 'text') } }),
    two: app(ownApp.id, { inputs: { text: from('one') } }),
    out: { type: 'outputNode', inputs: { result: from('two') } },
  })
  const { id, node_tasks: tasks } = await start(world, await flowOf(world, 'owner', graph), { input: { text: 'hi' } })
  await command('set', { apps: 'tools/*' })
  await endTask(world, tasks.one?.task_id ?? '', { output: { result: 1 } })
  expect((await get(world, id)).error).toContain('usage policy')
})

it('agents: a chat with one outside neither begins nor goes on', async () => {
  const talk = (body: object) => world.call('member', 'POST /agents/run', { body: { input: { text: 'hi' }, ...body } })
  const begun = await talk({ agent_id: theirAgent.id })
  expect(begun.status).toBe(200)
  const chat_id = begun.data.user_message.chat_id
  await command('set', { agents: 'own' })
  for (const body of [{ agent_id: theirAgent.id }, { agent: `other/${theirAgent.name}` }, { chat_id }])
    expect((await talk(body)).code).toBe('blocked_by_usage_policy')
  await command('set', { agents: 'other/*' })
  expect((await talk({ chat_id })).status).toBe(200)
})

it('flows: one outside is not run', async () => {
  const run = () => world.call('member', 'POST /flowruns', { body: { flow: theirFlow.id, input: { n: 1 } } })
  expect((await run()).status).toBe(200)
  await command('set', { flows: 'own' })
  expect((await run()).code).toBe('blocked_by_usage_policy')
})

it('knowledge: what lies outside is not read and not copied', async () => {
  await command('set', { knowledge: 'none' })
  const routes = [
    `GET /knowledge/${theirEntry.id}`,
    `GET /knowledge/other/${theirEntry.name}`,
    `GET /knowledge/${theirEntry.id}/references`,
    `GET /knowledge/${theirEntry.id}/lineage`,
    `POST /knowledge/${theirEntry.id}/duplicate`,
  ]
  for (const route of routes)
    expect([route, (await world.call('owner', route)).code]).toEqual([route, 'blocked_by_usage_policy'])
  expect((await world.call(null, `GET /knowledge/${theirEntry.id}`)).status).toBe(200)
})

it('MCP servers: the tools of one outside are neither listed nor called', async () => {
  const body = { name: 'Tools', slug: 'tools', server_url: server.url, auth_type: 'none' }
  expect((await world.call('owner', 'POST /mcp-servers', { body })).status).toBe(200)
  expect((await world.call('owner', 'GET /mcps/tools/tools')).status).toBe(200)
  await command('set', { mcps: 'mill/another' })
  expect((await world.call('owner', 'GET /mcps/tools/tools')).code).toBe('blocked_by_usage_policy')
  const asked = server.asked.length
  const called = await world.call('owner', 'POST /mcps/tools/tools/echo', { body: { text: 'hi' } })
  expect([called.code, server.asked.length]).toEqual(['blocked_by_usage_policy', asked])
  await command('set', { mcps: 'mill/tools' })
  expect((await world.call('owner', 'POST /mcps/tools/tools/echo', { body: { text: 'hi' } })).status).toBe(200)
})

it('another workspace is not touched, and no route edits policies', async () => {
  await command('set', { apps: 'none' })
  expect(
    (await world.call('stranger', 'POST /run', { body: { app_id: theirApp.id, input: { text: 'x' } } })).status,
  ).toBe(200)
  for (const route of ['GET /usage-policies', 'POST /usage-policies', 'PUT /usage-policies/x'])
    expect((await world.call('platform', route)).status).toBe(404)
})

it('an organization decides for its workspaces, for as long as they are attached', async () => {
  const made = await world.call('platform', 'POST /organizations', { body: { name: 'Guild', username: 'guild' } })
  const org = made.data.id
  await command('set', { apps: 'own' })
  const attach = () => world.call('platform', `POST /organizations/${org}/teams`, { body: { team_id: world.team.id } })
  expect((await attach()).status).toBe(200)
  expect((await runTheirs()).status).toBe(200)
  await expect(command('set', { apps: 'none' })).rejects.toThrow(/organization/)
  expect((await command('set', { apps: 'mill/*' }, 'guild')).json).toMatchObject({ workspaces: 2 })
  expect((await runTheirs()).code).toBe('blocked_by_usage_policy')
  await command('clear', {}, 'guild')
  expect((await runTheirs()).status).toBe(200)
  await world.call('platform', `DELETE /organizations/${org}/teams/${world.team.id}`)
  // The workspace's own policy applies again.
  expect((await runTheirs()).code).toBe('blocked_by_usage_policy')
})

it('the command says what is wrong, and shows what is set', async () => {
  expect((await command('show')).text).toBe('mill: no usage policy')
  await command('set', { apps: 'own,tools/*', mcps: 'none' })
  expect((await command('show')).text).toBe(
    'mill: apps: own,tools/*  agents: all  mcps: none  knowledge: all  flows: all',
  )
  await expect(command('set', { apps: 'tools' })).rejects.toThrow(/--apps: "tools" is not/)
  await expect(command('set')).rejects.toThrow(/would allow everything/)
  await expect(command('clear', {}, 'nobody-here')).rejects.toThrow(/not found/)
  await command('clear')
  await expect(command('clear')).rejects.toThrow(/no usage policy/)
})
