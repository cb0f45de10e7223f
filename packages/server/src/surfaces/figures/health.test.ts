// Guarantees: staff get the status of the installation in one reply: queue, tasks, failing jobs, disk and database.
import { expect } from 'vitest'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'

scenarios(
  'health.get',
  async (world) => {
    // No engine is connected, so the task stays queued.
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
    { claim: 'a key with full access', as: 'key:', status: 403, code: 'requires_sign_in' },
  ],
)
