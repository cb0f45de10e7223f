// Guarantees: only the workspace of an app can read its environment.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { deploy, show } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const secret = 'value-of-a-token'

const resources = { ram: 1024 }

/** A public app with environment values in its version and in a variant. */
const given = async () => {
  const variants = { large: { name: 'large', order: 1, resources, env: { TOKEN: secret }, python: '' } }
  const version = {
    ...{ repository: 'https://bundles.example.com/a.zip', kernel: 'node-22' },
    ...{ env: { TOKEN: secret }, variants },
  }
  return show(world, 'owner', await deploy(world, 'owner', { version }), 'public')
}

it('no operation shows it to an anonymous caller or to another workspace', async () => {
  const app = await given()
  const routes = [
    `GET /apps/${app.id}`,
    `GET /apps/${app.namespace}/${app.name}`,
    'GET /apps',
    `GET /apps/${app.id}/versions`,
    `GET /apps/${app.id}/versions/${app.version_id}`,
  ]
  const leaks: string[] = []
  for (const route of routes)
    for (const as of [null, 'stranger'] as const) {
      const { text, status } = await world.call(as, route, { query: { include_others: 'true' } })
      if (text.includes(secret)) leaks.push(`${route} as ${as}: ${status}`)
    }
  expect(leaks).toEqual([])
  const { version } = (await world.call('member', `GET /apps/${app.id}`)).data
  expect(version).toMatchObject({ env: { TOKEN: secret }, variants: { large: { env: { TOKEN: secret } } } })
})

it('a copy in another workspace keeps the variants without environments; a copy in the same workspace keeps both', async () => {
  const app = await given()
  const theirs = await world.call('stranger', `POST /apps/${app.id}/duplicate`)
  expect(theirs.text).not.toContain(secret)
  expect(theirs.data.version).toMatchObject({
    repository: app.version?.repository,
    env: {},
    variants: { large: { name: 'large', order: 1, resources, env: {} } },
  })
  const { rows } = await sql<{ env: unknown; variants: unknown }>`
    select env, variants from app_versions where app_id = ${theirs.data.id}`.execute(world.open.platform.db)
  expect(JSON.stringify(rows)).not.toContain(secret)
  const ours = await world.call('member', `POST /apps/${app.id}/duplicate`)
  expect(ours.data.version).toMatchObject({ env: { TOKEN: secret }, variants: { large: { env: { TOKEN: secret } } } })
})
