// Guarantees: the total of a list is exact up to 10,000 matches; beyond that it is an estimate with a notice, and the
// estimate of one query is not used for another.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { countMatches } from './count.ts'

const rows = 10_500

let world: World
beforeAll(async () => {
  world = await createWorld()
  await sql`insert into tasks (id, team_id, user_id, visibility, status, function)
    select lpad(n::text, 26, '0'), ${world.team.id}, ${world.people.owner.userId}, 'team', 10,
      case when n <= 3 then 'rare' else 'frequent' end
    from generate_series(1, ${rows}) n`.execute(world.open.platform.db)
  await sql`analyze tasks`.execute(world.open.platform.db)
})
afterAll(() => world?.close())

const count = async (name: string | null) => {
  const { db } = world.open.platform
  const codes: string[] = []
  const query = db.selectFrom('tasks').selectAll().where('team_id', '=', world.team.id)
  const total = await countMatches(db, name === null ? query : query.where('function', '=', name), ({ code }) =>
    codes.push(code),
  )
  return { total, codes }
}

it('counts exactly up to the limit, and at once after a change', async () => {
  expect(await count('rare')).toEqual({ total: 3, codes: [] })
  await sql`update tasks set function = 'rare' where id = ${'4'.padStart(26, '0')}`.execute(world.open.platform.db)
  expect(await count('rare')).toEqual({ total: 4, codes: [] })
})

it('estimates beyond the limit, and reuses the estimate without another count', async () => {
  const first = await count(null)
  expect(first.total).toBeGreaterThan(10_000)
  expect(first.codes).toEqual(['total_estimated'])
  // The estimate of the planner would now be far lower, and so would be a count.
  await sql`delete from tasks where function = 'frequent'`.execute(world.open.platform.db)
  expect(await count(null)).toEqual(first)
  expect(await count('rare')).toMatchObject({ codes: [] })
})
