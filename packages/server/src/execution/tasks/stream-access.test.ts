// Guarantees: the stream of a task ends for readers who lose access and continues for the others.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readStream } from '../../testing/read-stream.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { finish, givenApp, run } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const show = async (id: string, visibility: string, as: As = 'owner'): Promise<void> => {
  expect((await world.call(as, `POST /tasks/${id}/visibility`, { body: { visibility } })).status).toBe(200)
}

const open = async (id: string, as: As) => {
  const credential = as && { authorization: `Bearer ${await world.token(as)}`, 'x-team-id': world.team.id }
  const stream = await readStream(`${await world.listen()}/tasks/${id}/stream`, credential ?? {})
  expect(await stream.next()).toMatchObject({ event: 'update', data: { id } })
  return stream
}

it('a task that becomes private is no longer streamed to readers who lost access', async () => {
  const { id } = await run(world, await givenApp(world))
  await show(id, 'public')
  const [nobody, colleague, owner] = [await open(id, null), await open(id, 'member'), await open(id, 'owner')]
  await show(id, 'private')
  await finish(world, id, { text: 'the recipe' })
  for (const stream of [nobody, colleague]) {
    const rest = await stream.rest()
    expect(rest).toMatchObject([{ event: 'error', data: { status: 404 } }])
  }
  expect(await owner.rest()).toMatchObject([
    { event: 'update', data: { visibility: 'private' } },
    { event: 'update', data: { status: 10, output: { text: 'the recipe' } } },
    { event: 'done' },
  ])
})

it('an administrator who continues to read with administrator access is audited once', async () => {
  const { id } = await run(world, await givenApp(world), {}, 'member')
  const stream = await open(id, 'admin')
  await show(id, 'private', 'member')
  expect(await stream.next()).toMatchObject({ data: { visibility: 'private' } })
  await finish(world, id)
  await stream.rest()
  const { data } = await world.call('owner', 'GET /audit-log')
  const bypasses = data.items.filter(({ action }: { action: string }) => action === 'team_admin.permission_bypass')
  expect(bypasses).toMatchObject([{ resource_id: id }])
})

it('the last event does not show the address of a webhook to readers outside the workspace', async () => {
  const webhook = 'https://hooks.example.com/token'
  const { id } = await run(world, await givenApp(world), { webhook })
  await show(id, 'unlisted')
  const [nobody, owner] = [await open(id, null), await open(id, 'owner')]
  await finish(world, id)
  expect((await nobody.rest()).at(-2)?.data).toMatchObject({ status: 10, webhook: '' })
  expect((await owner.rest()).at(-2)?.data).toMatchObject({ status: 10, webhook })
})
