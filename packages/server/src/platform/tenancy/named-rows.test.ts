// Guarantees: an organization administrator cannot transfer a resource of another workspace; only admins of the owning
// workspace can.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { givenAgent } from '#agents/agents/testing/given.ts'
import { givenFlow } from '#automation/flows/testing/given.ts'
import { givenEntry } from '#content/knowledge/testing/given.ts'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
  const { pool } = world.open.database
  await pool.query(`insert into organizations (id, name) values ('guild', 'Guild')`)
  await pool.query(`update teams set org_id = 'guild' where id = any($1)`, [[world.team.id, world.otherTeam.id]])
  await pool.query(`insert into org_admins (org_id, user_id) values ('guild', $1)`, [world.people.stranger.userId])
})
afterAll(() => world?.close())

it.each([
  ['agents', () => givenAgent(world, 'owner')],
  ['flows', () => givenFlow(world, 'owner')],
  ['knowledge', () => givenEntry(world, 'owner')],
] as const)('%s', async (kind, make) => {
  const { id } = await make()
  const body = { team_id: world.otherTeam.id }
  expect((await world.call('stranger', `GET /${kind}/${id}`)).status).toBe(200)
  const taken = await world.call('stranger', `POST /${kind}/${id}/transfer`, { body })
  expect([taken.status, taken.code]).toEqual([403, 'team_role_required'])
})
