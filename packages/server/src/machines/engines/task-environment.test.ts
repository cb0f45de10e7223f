// Guarantees: the app process of a run receives the environment that its version requires, from the workspace and user
// of the run, readable only by its engine; the files that it created belong to that workspace after the run.
import { fromBase64, toBase64 } from '@millrace/contract/engine-frames'
import { newSealingKeys, open } from '@millrace/contract/sealed-box'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startCustomOauthServer } from '#connections/credentials/testing/custom-oauth-server.ts'
import { connectAt, givenProvider, specFor } from '#connections/credentials/testing/given.ts'
import { fetchMedia, stored } from '#content/files/testing/given.ts'
import { givenApp, run, taskOf } from '#execution/tasks/testing/given.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { about, dial, register, serveOne, startEngine } from './testing/engine-double.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const version = {
  env: { MODE: 'plain', LEVEL: 'version' },
  variants: { big: { name: 'big', order: 1, resources: {}, env: { LEVEL: 'variant' } } },
  required_secrets: [{ key: 'OWN_TOKEN' }, { key: 'ABSENT', optional: true }],
  required_credentials: [{ provider: 'cohere' }],
}

const connected = async () => {
  const secret = await world.call('owner', 'POST /secrets', { body: { key: 'OWN_TOKEN', value: 'own-value' } })
  expect(secret.status, secret.text).toBe(200)
  const answer = await world.call('owner', 'POST /credentials', {
    body: { provider: 'cohere', type: 'api_key', api_key: 'co-key' },
  })
  expect(answer.status, answer.text).toBe(200)
}

it('[S24] plain values are readable, secrets and connections are encrypted for the engine', async () => {
  await connected()
  const app = await givenApp(world, version)
  const engine = await startEngine(world, { cloud: true })
  await run(world, app, { variant: 'big' })
  const { task, secrets } = (await engine.next('task_run')).data
  expect(task.app_env).toEqual({ MODE: 'plain', LEVEL: 'variant' })
  expect(JSON.parse(fromBase64(secrets ?? ''))).toEqual({ OWN_TOKEN: 'own-value', COHERE_API_KEY: 'co-key' })
})

it('the value of a connection overrides a secret of the same name', async () => {
  const odd = await startCustomOauthServer()
  odd.answer = () => ({ body: { access_token: 'signed-in', token_type: 'bearer', expires_in: 3600 } })
  const plain = { userinfo_url: undefined, revocation_endpoint: undefined, scopes: [] }
  await givenProvider(world, { slug: 'crm', specs: [specFor(odd, plain)] })
  await connectAt(world, 'owner', 'crm')
  const secret = await world.call('owner', 'POST /secrets', { body: { key: 'CRM_ACCESS_TOKEN', value: 'by-hand' } })
  expect(secret.status, secret.text).toBe(200)
  const app = await givenApp(world, {
    required_secrets: [{ key: 'CRM_ACCESS_TOKEN' }],
    required_credentials: [{ provider: 'crm' }],
  })
  const engine = await startEngine(world, { cloud: true })
  await run(world, app)
  const { secrets } = (await engine.next('task_run')).data
  expect(JSON.parse(fromBase64(secrets ?? ''))).toEqual({ CRM_ACCESS_TOKEN: 'signed-in' })
  await odd.close()
})

it('an engine without a public key always receives a map, even an empty one', async () => {
  const app = await givenApp(world)
  const engine = await startEngine(world, { cloud: true })
  await run(world, app)
  expect(fromBase64((await engine.next('task_run')).data.secrets ?? '')).toBe('{}')
})

it('[S23] an engine with a public key receives them sealed, for this task only', async () => {
  await connected()
  const app = await givenApp(world, version)
  const keys = newSealingKeys()
  const registered = await register(world, { cloud: true, publicKey: keys.publicKey })
  const engine = await dial(world, registered)
  await run(world, app)
  const { task, secrets } = (await engine.next('task_run')).data
  expect(Buffer.from(secrets ?? '', 'base64').toString('latin1')).not.toContain('own-value')
  expect(JSON.parse(open(secrets ?? '', keys, `task:${task.id}`))).toMatchObject({ COHERE_API_KEY: 'co-key' })
  expect(() => open(secrets ?? '', keys, 'task:another')).toThrow()
})

it('without the connection, the run is refused and nothing is queued', async () => {
  const app = await givenApp(world, version)
  const answer = await world.call('owner', 'POST /run', { body: { app_id: app.id, input: {} } })
  expect(answer).toMatchObject({ status: 412, code: 'requirements_not_met' })
})

it('a secret that was deleted before the dispatch fails the task by its name', async () => {
  await connected()
  const app = await givenApp(world, version)
  const { id } = await run(world, app)
  expect((await world.call('owner', 'DELETE /secrets/OWN_TOKEN')).status).toBe(200)
  const engine = await startEngine(world, { cloud: true })
  const task = await until(async () => {
    const shown = await taskOf(world, id)
    return shown.status === 11 && shown
  })
  expect(task.error).toBe('The secret OWN_TOKEN is missing')
  // The worker of the failed task is idle again.
  await run(world, await givenApp(world))
  await engine.next('task_run')
})

it('a final output omits the live fields of its schema and keeps its other lists', async () => {
  const audio = { type: 'array', format: 'stream', items: { type: 'string', format: 'binary' } }
  const schema = { type: 'object', properties: { audio, words: { type: 'array' } }, required: ['audio'] }
  const app = await givenApp(world, { functions: { run: { output_schema: schema } } })
  const engine = await startEngine(world, { cloud: true })
  const { id } = await run(world, app)
  await serveOne(engine, { audio: ['AAAA'], words: ['a'], frames: 1 })
  expect((await taskOf(world, id)).output).toEqual({ words: ['a'], frames: 1 })
})

it('the files of an output move from the engine’s workspace to that of the task', async () => {
  const app = await givenApp(world)
  const engine = await startEngine(world)
  const upload = await stored(world, 'key:engines:write,files:write', 'made', {}, { category: 'outputs' })
  const { id } = await run(world, app, { infra: 'private' })
  const frame = await engine.next('task_run')
  const listed = async () => (await world.call('owner', `GET /tasks/${id}/files`)).data
  expect(await listed()).toEqual([])
  const output = { deep: [{ picture: upload.uri }], note: 'https://example.com/not-ours.png' }
  engine.send({ type: 'task_completed', data: { ...about(frame), output: toBase64(JSON.stringify(output)) } })
  await engine.next('task_ack')
  expect(await listed()).toMatchObject([{ id: upload.id, direction: 'output', field: 'deep.0.picture' }])
  const owner = await world.open.platform.db
    .selectFrom('files')
    .select(['team_id', 'user_id'])
    .where('id', '=', upload.id)
    .executeTakeFirst()
  expect(owner).toEqual({ team_id: world.team.id, user_id: world.people.owner.userId })
  expect((await fetchMedia(world, upload.uri)).text).toBe('made')
})
