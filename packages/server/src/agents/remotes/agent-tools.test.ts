// Guarantees: an agent's command needs approval unless a rule allows it, at any level; it runs with the rights of the
// person who started the agent, and the agent receives its result.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { answer, callsOf, chatWith, modelTask, says } from '../chats/testing/given.ts'
import { type RemoteDouble, runOf, startRemote, until } from './testing/remote-double.ts'

let world: World
let remote: RemoteDouble
beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0' } })
  remote = await startRemote(world, {}, 'owner')
})
afterAll(() => world.close())

const config = { internal_tools: { remote: true } }
const told = (chatId: string) => until(async () => (await modelTask(world, chatId).catch(() => undefined))?.input)
const callOf = async (chatId: string) => (await callsOf(world, chatId)).at(-1)
const asks = (command: string, args: string[] = []) =>
  says('', { name: 'remote_exec', arguments: { remote_id: remote.id, command, args } })
const rule = async (body: object) => (await world.call('owner', `POST /remotes/${remote.id}/rules`, { body })).data.id

it('machines are listed', async () => {
  const chatId = await chatWith(world, config)
  await answer(world, chatId, says('', { name: 'remote_list', arguments: {} }))
  expect((await told(chatId)).text).toContain(remote.id)
})

it('a command waits for approval, then runs, and its output is the result', async () => {
  const chatId = await chatWith(world, config)
  await answer(world, chatId, asks('make', ['all']))
  const call = await until(async () => {
    const found = await callOf(chatId)
    return found?.status === 'awaiting_approval' && found
  })
  await world.call('owner', `POST /tools/${call.id}/invoke`)
  const { data } = await remote.next('remote_exec_start')
  expect(data).toMatchObject({ command: 'make', args: ['all'] })
  expect(await runOf(world, remote, data.exec_run_id)).toMatchObject({ requested_by: 'loop', status: 'running' })
  remote.print(data.exec_run_id, 1, 'built')
  remote.print(data.exec_run_id, 2, 'warned', 'stderr')
  remote.exit(data.exec_run_id, 2)
  await told(chatId)
  const ended = await callOf(chatId)
  expect(ended?.status).toBe('completed')
  expect(JSON.parse(ended?.result ?? '')).toEqual({
    exec_run_id: data.exec_run_id,
    status: 'exited',
    exit_code: 2,
    stdout: 'built',
    stderr: 'warned',
    truncated: false,
  })
})

it('a rule of the machine allows; a deny rule wins', async () => {
  const allowed = await rule({ effect: 'allow', specifier: 'git *' })
  const chatId = await chatWith(world, config)
  await answer(world, chatId, asks('git', ['status']))
  const { data } = await remote.next('remote_exec_start')
  remote.exit(data.exec_run_id, 0)
  await told(chatId)
  const denied = await rule({ effect: 'deny', specifier: 'git push' })
  await answer(world, chatId, asks('git', ['push']))
  await told(chatId)
  expect((await callOf(chatId))?.status).toMatch(/failed|cancelled/)
  for (const id of [allowed, denied]) await world.call('owner', `DELETE /remotes/${remote.id}/rules/${id}`)
})

it('a rule for certain commands does not allow environment variables, which can run another program', async () => {
  const allowed = await rule({ effect: 'allow', specifier: 'git *' })
  const chatId = await chatWith(world, config)
  const given = { remote_id: remote.id, command: 'git', args: ['status'], env: ['LD_PRELOAD=/tmp/evil.so'] }
  await answer(world, chatId, says('', { name: 'remote_exec', arguments: given }))
  const call = await until(async () => {
    const found = await callOf(chatId)
    return found?.status !== 'pending' && found
  })
  expect(call).toMatchObject({ status: 'awaiting_approval' })
  const options = await world.call('owner', `GET /chats/${chatId}/tools/${call.id}/always-allow/options`)
  expect(options.status, options.text).toBe(200)
  expect(options.data.options.map(({ key }: { key: string }) => key)).toEqual(['tool'])
  await world.call('owner', `POST /tools/${call.id}/reject`, { body: {} })
  await world.call('owner', `DELETE /remotes/${remote.id}/rules/${allowed}`)
})

it('only the full id of a machine is accepted, so that no rule is bypassed', async () => {
  await rule({ effect: 'allow' })
  const chatId = await chatWith(world, { ...config, permissions: { allow_all_tools: true } })
  const given = { remote_id: remote.id.slice(0, 8), command: 'ls' }
  await answer(world, chatId, says('', { name: 'remote_exec', arguments: given }))
  const call = await until(async () => {
    const found = await callOf(chatId)
    return found && (found.status === 'awaiting_approval' || found.status === 'failed') && found
  })
  if (call.status === 'awaiting_approval') await world.call('owner', `POST /tools/${call.id}/invoke`)
  await told(chatId)
  expect(await callOf(chatId)).toMatchObject({ status: 'failed', result: expect.stringContaining('full id') })
})
