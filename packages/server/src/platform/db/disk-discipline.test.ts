// Guarantees: disk space of deleted history is reused. The tables are filled to a size, swept and filled again: the
// second fill fits into the space of the first, and `vacuum full` returns the space to the disk. DISK_MB sets the size
// (`npm run prove -- disk --size large`).
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { features } from '#start/app.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { bringHistory, givenHistory, grownTables, historyBytes, historySize, historySweeps } from './testing/history.ts'

const wanted = Number(process.env.DISK_MB ?? 5) * 1e6
const keptDays = 30
const batchRows = 200
/** Most of a large history is in long logs. */
const logBytes = Math.min(131_072, Math.max(16_384, wanted / 40_000))

vi.setConfig({ testTimeout: 240_000 + wanted / 1e3 })

let world: World
beforeAll(async () => {
  const keep = String(keptDays)
  world = await createWorld({ settings: { KEEP_RUNS_DAYS: keep, KEEP_AUDIT_DAYS: keep, KEEP_LEDGER_DAYS: keep } })
})
afterAll(() => world?.close())

it(`${wanted / 1e6} MB of history leave room for as much again`, async () => {
  const { platform } = world.open
  const template = await givenHistory(world, keptDays)
  const sweeps = features
    .flatMap((feature) => feature.crons?.(platform) ?? [])
    .filter(({ name }) => historySweeps.includes(name))
  // On a separate connection, because statements of the server have a timeout.
  const vacuum = async (how: 'vacuum' | 'vacuum full'): Promise<void> => {
    const client = new pg.Client({ connectionString: world.connectionString })
    await client.connect()
    for (const table of grownTables) await client.query(`${how} ${table}`)
    await client.end()
  }
  const sweep = async (): Promise<void> => {
    world.clock.advance((keptDays + 1) * 24 * 3600_000)
    for (const { handler } of sweeps) await handler({})
    // The database vacuums by itself sooner or later.
    await vacuum('vacuum')
  }
  const told: string[] = []
  const tell = async (what: string, work: () => Promise<unknown>) => {
    const beganMs = performance.now()
    await work()
    const size = await historySize(world)
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(1)
    told.push(`${what}: ${size.rows} rows, ${(size.bytes / 1e6).toFixed(1)} MB, ${seconds} s`)
    return size
  }
  const fillOnce = async (): Promise<void> => {
    await bringHistory(world, template, batchRows, logBytes)
    world.clock.advance(1_000)
  }
  let batches = 0
  const empty = await tell('empty', async () => {})
  const full = await tell('filled', async () => {
    for (; (await historyBytes(world)) < wanted; batches += 1) await fillOnce()
  })
  const swept = await tell('swept', sweep)
  const again = await tell('filled again', async () => {
    for (let batch = 0; batch < batches; batch += 1) await fillOnce()
  })
  await tell('swept again', sweep)
  const given = await tell('given back', () => vacuum('vacuum full'))
  console.info(told.join('\n'))
  expect(swept.rows).toBeLessThan(full.rows / 100)
  expect(again.rows).toBeGreaterThan(full.rows * 0.99)
  expect(again.bytes).toBeLessThan(full.bytes * 1.25)
  expect(given.bytes).toBeLessThan(empty.bytes * 2 + full.bytes / 100)
})
