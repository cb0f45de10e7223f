// Guards: staff see in one answer how the installation is: what waits, what runs, which jobs fail, and the room there is.
import { expect } from 'vitest'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'

scenarios(
  'health.get',
  async (world) => {
    // Nothing is there to take it: it waits.
    await run(world, await givenApp(world))
    const { db, jobs } = world.open.platform
    await jobs.add(db, 'mail', {})
  },
  [
    {
      claim: 'the queue, jobs, disk and database as they are',
      as: 'platform',
      status: 200,
      check: ({ data }) => {
        expect(data.queue.waiting).toBeGreaterThan(0)
        expect(data.queue.on_engines).toBe(0)
        expect(data.jobs.waiting).toBeGreaterThan(0)
        expect(data.disk.free_bytes).toBeGreaterThan(0)
        expect(data.disk.total_bytes).toBeGreaterThanOrEqual(data.disk.free_bytes)
        expect(data.database.bytes).toBeGreaterThan(0)
        expect(data.database.largest_tables).toHaveLength(10)
      },
    },
    { claim: 'an owner', as: 'owner', status: 403, code: 'forbidden' },
    { claim: 'a key of everything', as: 'key:', status: 403, code: 'requires_sign_in' },
    { claim: 'signed out', as: null, status: 401, code: 'unauthorized' },
  ],
)
