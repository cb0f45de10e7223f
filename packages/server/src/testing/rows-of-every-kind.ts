// Rows of every kind in a workspace, created through the API by one of its members, for tests of isolation. Each is as
// private as its kind permits, and contains a word that nobody else knows.
import { newId } from '@millrace/contract/ids'
import { modelApp } from '#agents/agents/testing/given.ts'
import { answer, run as ask, client, messagesOf, says } from '#agents/chats/testing/given.ts'
import { exec, startRemote } from '#agents/remotes/testing/remote-double.ts'
import { oneStep } from '#automation/flow-runs/testing/given.ts'
import { flowOf } from '#automation/flows/testing/given.ts'
import { stored } from '#content/files/testing/given.ts'
import { deploy } from '#execution/apps/testing/given.ts'
import { startEngine } from '#machines/engines/testing/engine-double.ts'
import { type BrokerDouble, givenBroker, grant, launchBody } from '#machines/rentals/testing/broker-double.ts'
import type { World } from './world.ts'

/**
 * A row, by the parameters of its paths; `at`: the path before the first parameter, such as `/flows/` or
 * `/chats/messages/`.
 */
export type Row = { readonly at: string } & Readonly<Record<string, string>>

export type Given = { rows: Row[]; close(): Promise<void> }

type GivenContext = {
  world: World
  as: 'owner' | 'stranger'
  team: { id: string; username: string }
  word: string
  post(path: string, body?: object): Promise<Made>
}
// biome-ignore lint/suspicious/noExplicitAny: rows of forty shapes
type Made = any

export const givenRows = async (
  world: World,
  as: GivenContext['as'],
  word: string,
  broker: BrokerDouble,
): Promise<Given> => {
  const team = as === 'owner' ? world.team : world.otherTeam
  const post: GivenContext['post'] = async (path, body) => {
    const made = await world.call(as, `POST ${path}`, { body })
    if (made.status !== 200) throw new Error(`POST ${path}: ${made.text}`)
    return made.data
  }
  const making: GivenContext = { world, as, team, word, post }
  const apps = await givenWork(making)
  const machines = await givenMachines(making, broker)
  return {
    rows: [...apps, ...(await givenAgents(making)), ...(await givenContent(making)), ...machines.rows],
    close: machines.close,
  }
}

const named = ({ team }: GivenContext, { id, name, version_id }: Made) => ({
  id,
  name,
  namespace: team.username,
  ...(version_id && { versionId: version_id }),
})

/** Apps and their tasks, sessions, sockets, flows, triggers. */
const givenWork = async (making: GivenContext): Promise<Row[]> => {
  const { world, as, word, post } = making
  const app = await deploy(world, as, { description: word })
  const live = { kernel: 'node-22', functions: { run: { kind: 'stream', input_schema: { type: 'object' } } } }
  const socketApp = await deploy(world, as, { version: { repository: 'https://bundles.example.com/a.zip', ...live } })
  const input = { text: word }
  const task = await post('/run', { app_id: app.id, input, session: 'new', webhook: `https://hooks.example/${word}` })
  const { socket } = await post('/run', { app_id: socketApp.id, input: {} })
  const flow = await flowOf(world, as, oneStep(app.id), { description: word })
  const flowRun = await post('/flowruns', { flow: flow.id, input })
  const trigger = await post('/triggers', {
    name: word,
    type: 'manual',
    action: 'run_app',
    app_id: app.id,
    input: { text: word },
  })
  await post(`/triggers/${trigger.id}/fire`)
  const { data: fires } = await world.call(as, 'GET /trigger-fires')
  return [
    { at: '/apps/', ...named(making, app) },
    { at: '/store/apps/', appId: app.id },
    { at: '/tasks/', id: task.id },
    { at: '/sessions/', id: task.session_id },
    { at: '/sockets/', id: socket.id },
    { at: '/flows/', ...named(making, flow) },
    { at: '/flowruns/', id: flowRun.id },
    { at: '/flow-runs/', id: flowRun.id },
    { at: '/triggers/', id: trigger.id },
    { at: '/trigger-fires/', id: fires.items[0].id },
  ]
}

/** Agents and their chats. */
const givenAgents = async (making: GivenContext): Promise<Row[]> => {
  const { world, as, word, post } = making
  const { db } = world.open.platform
  const core_app = { id: (await modelApp(world, as)).id }
  const agent = await post('/agents', { name: word, version: { core_app, system_prompt: word } })
  const rule = await post(`/agents/${agent.id}/rules`, { effect: 'allow', selector: word })
  const config = { core_app, tools: [client('look', { require_approval: true })] }
  const { assistant_message: said } = await ask(world, { agent_config: config, input: { text: word } }, as)
  const id = said.chat_id
  await answer(world, id, says(word, { name: 'look', arguments: { x: 1 } }))
  const message = (await messagesOf(world, id, as)).find(({ tool_invocations }) => tool_invocations.length > 0)
  const chatRule = await post(`/chats/${id}/rules`, { effect: 'ask', selector: word })
  const run = await db.selectFrom('agent_runs').select('id').where('chat_id', '=', id).executeTakeFirstOrThrow()
  const gate = await ask(
    world,
    { agent_config: { core_app, hooks: [{ event: 'agent.turn_start', type: 'gate', timeout: 3600 }] } },
    as,
  )
  const { data: gated } = await world.call(as, `GET /chats/${gate.assistant_message.chat_id}`)
  const call = message?.tool_invocations[0]?.id ?? ''
  return [
    { at: '/agents/', ...named(making, agent), ruleId: rule.id },
    { at: '/v1/models/', ...named(making, agent) },
    { at: '/a2a/', agentId: agent.id },
    { at: '/ag-ui/', agentId: agent.id },
    { at: '/v1/responses/', id: `resp_${message?.id}` },
    { at: '/chats/', id, ruleId: chatRule.id },
    { at: '/chats/', chatId: id, id: call },
    { at: '/chats/messages/', id: message?.id ?? '' },
    { at: '/agent-runs/', id: run.id },
    { at: '/tools/', id: call },
    { at: '/interrupts/', id: gated.pending_interrupts[0].id },
  ]
}

/** Knowledge, pages, files, secrets, people. */
const givenContent = async (making: GivenContext): Promise<Row[]> => {
  const { world, as, team, word, post } = making
  const content = { path: 'entry.md', content: word }
  const entry = await post('/knowledge', { name: `${word}-entry`, description: word, version: { content } })
  const skill = await post('/skills', { name: `${word}-skill`, description: word, instructions: word, files: [] })
  const page = await post('/artifacts', { name: `${word}-page`, title: word, content: word })
  const file = await stored(world, as, word, { filename: `${word}.txt` })
  const project = await post('/projects', { name: word, type: 'agent' })
  const secret = await post('/secrets', { key: word.toUpperCase(), value: `${word}-of-some-length-1234` })
  const vault = await post('/vaults', { name: word, description: word })
  const { credential } = await post('/credentials', { type: 'api_key', provider: 'openai', api_key: `sk-${word}` })
  const slug = `${word}-service`
  const provider = await post('/auth-providers', {
    slug,
    display_name: word,
    specs: [{ kind: 'oauth2', authorization_endpoint: 'https://a.example/a', token_endpoint: 'https://a.example/t' }],
    client_id: word,
    client_secret: `${word}-of-some-length-1234`,
  })
  const server = await post('/mcp-servers', {
    name: word,
    slug: `${word}-tools`,
    server_url: `https://tools.example/${word}`,
    auth_type: 'none',
  })
  const budget = await post('/budgets', { subject_type: 'workspace', period: 'month', limit: 5_000_000_000 })
  const invite = await post(`/teams/${team.id}/invites`, { email: `${word}@example.com`, role: 'member' })
  const key = await post('/apikeys', { name: word })
  const { data: sessions } = await world.call(as, 'GET /auth/sessions')
  return [
    { at: '/knowledge/', ...named(making, entry) },
    { at: '/skills/', ...named(making, skill) },
    { at: '/store/skills/', id: skill.id },
    { at: '/artifacts/', ...named(making, page) },
    { at: '/files/', id: file.id, uri: file.uri },
    { at: '/v1/files/', id: file.id },
    { at: '/projects/', id: project.id },
    { at: '/secrets/', key: secret.key, id: secret.id },
    { at: '/secrets/reveal/', key: secret.key },
    { at: '/vaults/', id: vault.id },
    { at: '/credentials/', provider: slug, credentialId: credential.id },
    { at: '/auth-providers/', id: provider.id },
    { at: '/auth-schemes/', id: provider.id },
    { at: '/oauth/client-metadata/', slug },
    { at: '/mcp-servers/', id: server.id },
    { at: '/mcps/', slug: server.slug, tool: 'look' },
    { at: '/budgets/', id: budget.id },
    { at: '/teams/', id: team.id, inviteId: invite.id, userId: world.people[as].userId },
    { at: '/invites/', id: invite.id },
    { at: '/apikeys/', id: key.id },
    { at: '/auth/sessions/', id: sessions[0]?.id ?? newId() },
  ]
}

/** Machines: a connected engine, a rented machine, and a remote. */
const givenMachines = async ({ world, as, team, word, post }: GivenContext, broker: BrokerDouble): Promise<Given> => {
  await givenBroker(world, broker)
  await grant(world, 1_000_000_000, team.id)
  const rented = await post('/engines', launchBody(world, { name: word }))
  const engine = await startEngine(world, { as, name: word })
  const remote = await startRemote(world, { name: word }, as)
  const rule = await post(`/remotes/${remote.id}/rules`, { effect: 'deny', specifier: word })
  const command = await exec(world, remote, { command: word })
  return {
    rows: [
      { at: '/engines/', id: rented.id },
      { at: '/engines/', id: engine.id },
      { at: '/remotes/', id: remote.id, ruleId: rule.id },
      { at: '/execs/', id: command },
    ],
    close: async () => {
      await engine.drop()
      await remote.drop()
    },
  }
}
