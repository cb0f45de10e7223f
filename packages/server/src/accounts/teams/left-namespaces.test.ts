// Guarantees: published resources keep their namespace, and so does their workspace: no other workspace can publish
// under that name.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('a name that a workspace has left is free for nobody else while something carries it', async () => {
  const team = world.people.stranger.personalTeamId
  const rename = (username: string) => world.call('stranger', `POST /teams/${team}`, { team, body: { username } })
  expect((await rename('acme')).status).toBe(200)
  const app = await world.call('stranger', 'POST /apps', {
    team,
    body: { name: 'tool', version: { repository: 'https://bundles.example.com/a.zip', kernel: 'node-22' } },
  })
  expect(app.data, app.text).toMatchObject({ namespace: 'acme' })
  expect((await rename('elsewhere')).status).toBe(200)

  const made = await world.call('owner', 'POST /teams', { body: { name: 'Acme', username: 'acme' } })
  expect(made.code).toBe('conflict')
  const own = world.people.owner.personalTeamId
  const renamed = await world.call('owner', `POST /teams/${own}`, { team: own, body: { username: 'acme' } })
  expect(renamed.code).toBe('conflict')
  const asked = await world.call('owner', 'GET /teams/check-username', { query: { username: 'acme' } })
  expect(asked.data).toMatchObject({ available: false, reason: 'taken' })

  expect((await rename('acme')).status).toBe(200)
  expect((await rename('elsewhere')).status).toBe(200)
  await world.call('stranger', `DELETE /apps/${app.data.id}`, { team })
  expect((await world.call('owner', 'POST /teams', { body: { name: 'Acme', username: 'acme' } })).status).toBe(200)
})
