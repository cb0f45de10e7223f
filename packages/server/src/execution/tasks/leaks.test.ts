// Guarantees: a task reveals nothing about other tasks of its worker, and only its own workspace sees the address of
// its webhook.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EngineDouble, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { deploy } from '../apps/testing/given.ts'
import { givenApp, run, taskOf } from './testing/given.ts'

let world: World
let engine: EngineDouble
beforeAll(async () => {
  world = await createWorld()
  engine = await startEngine(world, { cloud: true })
})
afterAll(() => world?.close())

it('a finished task does not reveal the later tasks of its worker', async () => {
  const mine = await run(world, await givenApp(world))
  await serveOne(engine)
  const theirs = await run(world, await deploy(world, 'stranger'), { session: 'new' }, 'stranger')
  const { data } = await engine.next('task_run')
  expect(data.task.id).toBe(theirs.id)
  const { worker } = await taskOf(world, mine.id)
  expect(worker).toMatchObject({ id: engine.workers[0], task_id: null, app_id: '', app_version_id: '' })
  expect(worker).toMatchObject({ active_session_id: null })
  expect(JSON.stringify(worker)).not.toContain(theirs.id)
  const own = (await taskOf(world, theirs.id, 'stranger')).worker
  expect(own).toMatchObject({ task_id: theirs.id, active_session_id: theirs.session_id })
})

it('only the workspace sees the address of a webhook, even if the task is public', async () => {
  const address = 'https://hooks.example.com/in?token=very-secret'
  const { id } = await run(world, await givenApp(world), { webhook: address })
  await world.call('owner', `POST /tasks/${id}/visibility`, { body: { visibility: 'public' } })
  await world.call('platform', `POST /tasks/${id}/featured`, { body: { is_featured: true } })
  for (const as of [null, 'stranger'] as const) {
    for (const route of [`GET /tasks/${id}`, 'GET /tasks/featured', 'GET /tasks'] as const) {
      const answer = await world.call(as, route)
      expect(answer.status).toBe(200)
      expect(answer.text).not.toContain('very-secret')
    }
    const deliveries = await world.call(as, `GET /tasks/${id}/webhooks`)
    expect(deliveries.status).toBe(as === null ? 401 : 404)
  }
  expect((await taskOf(world, id)).webhook).toBe(address)
  await world.call('owner', `POST /tasks/${id}/cancel`)
  const stream = await world.call(null, `GET /tasks/${id}/stream`, { headers: { accept: 'application/x-ndjson' } })
  expect(stream.text).toContain(id)
  expect(stream.text).not.toContain('very-secret')
})
