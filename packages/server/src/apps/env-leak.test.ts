// Guards: the environment of an app is for its workspace; whoever else reads the app sees it without.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../testing/world.ts'
import { deploy, show } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const secret = 'value-of-a-token'

it('no door shows it to a guest or to another workspace', async () => {
  const app = await show(
    world,
    'owner',
    await deploy(world, 'owner', {
      version: { repository: 'https://bundles.example.com/a.zip', kernel: 'node-22', env: { TOKEN: secret } },
    }),
    'public',
  )
  const doors = [
    `GET /apps/${app.id}`,
    `GET /apps/${app.namespace}/${app.name}`,
    'GET /apps',
    `GET /apps/${app.id}/versions`,
    `GET /apps/${app.id}/versions/${app.version_id}`,
  ]
  const leaks: string[] = []
  for (const door of doors)
    for (const as of [null, 'stranger'] as const) {
      const { text, status } = await world.call(as, door, { query: { include_others: 'true' } })
      if (text.includes(secret)) leaks.push(`${door} as ${as}: ${status}`)
    }
  expect(leaks).toEqual([])
  expect((await world.call('member', `GET /apps/${app.id}`)).data.version.env).toEqual({ TOKEN: secret })
})
