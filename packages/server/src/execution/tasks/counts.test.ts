// Guarantees: runs are counted by time and outcome, and the counted runs are those that the same caller can list.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyRow } from '../../testing/copy-rows.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { givenTasks, run } from './testing/given.ts'

type Counts = {
  since: string
  counted_since: string
  p50_ms: number | null
  p95_ms: number | null
  buckets: { from: string; completed: number; failed: number; cancelled: number; active: number }[]
}

const minuteMs = 60_000
const ago = (minutes: number): string => new Date(Date.now() - minutes * minuteMs).toISOString()

const sumOf = ({ buckets }: Counts) =>
  buckets.reduce(
    (sum, { completed, failed, cancelled, active }) => ({
      completed: sum.completed + completed,
      failed: sum.failed + failed,
      cancelled: sum.cancelled + cancelled,
      active: sum.active + active,
    }),
    { completed: 0, failed: 0, cancelled: 0, active: 0 },
  )

scenarios('tasks.counts', givenTasks, [
  {
    claim: 'the last day in one bucket',
    as: 'member',
    query: { step: '86400' },
    status: 200,
    check: ({ data }) => {
      const { completed, active } = sumOf(data)
      expect(completed).toBeGreaterThan(0)
      expect(active).toBeGreaterThan(0)
      expect(data.buckets).toHaveLength(1)
    },
  },
  {
    claim: 'by default, the last day in buckets of half an hour',
    as: 'member',
    status: 200,
    check: ({ data }) => {
      expect(data).toMatchObject({ step: 1800, counted_since: data.since })
      expect(data.buckets).toHaveLength(48)
      expect(data.buckets[0].from).toBe(data.since)
      expect(sumOf(data)).toMatchObject({ failed: 0, cancelled: 0 })
      expect(data.p50_ms).toBeGreaterThanOrEqual(0)
    },
  },
  { claim: 'a step that is too small', as: 'owner', query: { step: '1' }, status: 400, code: 'validation_error' },
  {
    claim: 'too many buckets',
    as: 'owner',
    query: { since: '2000-01-01T00:00:00Z', step: '60' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an invalid second',
    as: 'owner',
    query: { since: '2016-12-31T23:59:60Z' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a start in the future',
    as: 'owner',
    query: { since: '9999-12-31T23:59:59Z', step: '86400' },
    status: 400,
    code: 'validation_error',
  },
])

describe('counting', () => {
  let world: World
  let waiting: string
  let shown: string
  beforeAll(async () => {
    world = await createWorld()
    const given = await givenTasks(world)
    waiting = given.waiting
    shown = given.shown
    const own = await run(world, given.app, {}, 'member')
    await world.call('member', `POST /tasks/${own.id}/visibility`, { body: { visibility: 'private' } })
  })
  afterAll(() => world?.close())

  const countsFor = async (as: As, query: Record<string, string> = {}): Promise<Counts> =>
    (await world.call(as, 'GET /tasks/counts', { query })).data

  it.each(['owner', 'member', 'stranger'] as const)('shows %s the same number of runs as the list', async (as) => {
    const { total_items } = (await world.call(as, 'GET /tasks')).data
    const { completed, failed, cancelled, active } = sumOf(await countsFor(as))
    expect(completed + failed + cancelled + active).toBe(total_items)
  })

  it('puts runs into buckets by creation time and outcome', async () => {
    const { db } = world.open.platform
    await copyRow(db, { table: 'tasks', id: shown, count: 3 }, { created_at: ago(65), finished_at: ago(64) })
    await copyRow(
      db,
      { table: 'tasks', id: waiting, count: 2 },
      { created_at: ago(125), finished_at: ago(125), status: 11 },
    )
    const { buckets, p95_ms } = await countsFor('owner', { since: ago(175), step: '3600' })
    expect(buckets.map(({ from: _, ...counts }) => counts)).toEqual([
      { completed: 0, failed: 2, cancelled: 0, active: 0 },
      { completed: 3, failed: 0, cancelled: 0, active: 0 },
      { completed: 1, failed: 0, cancelled: 0, active: 1 },
    ])
    expect(Math.round((p95_ms ?? 0) / minuteMs)).toBe(1)
  })
})
