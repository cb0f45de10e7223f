// Guarantees: default vaults are created on a long-lived connection as on a new one. After a few executions, PostgreSQL
// uses a generic plan for a prepared statement, which must still find the index of its conflict clause.
import { newId } from '@millrace/contract/ids'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { insertDefault } from './store.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('a connection makes its twelfth default vault as it made its first', async () => {
  const { db, now } = world.open.platform
  const at = now().toISOString()
  const row = () => ({
    id: newId(),
    team_id: world.team.id,
    user_id: world.people.owner.userId,
    name: 'default',
    description: '',
    created_at: at,
    updated_at: at,
  })
  await db.connection().execute(async (held) => {
    for (let made = 0; made < 12; made += 1) await insertDefault(held, row())
  })
  const found = await db.selectFrom('vaults').select('id').where('team_id', '=', world.team.id).execute()
  expect(found).toHaveLength(1)
})
