// Guarantees: a server that works for a long time stays correct and does not grow. A mixed load (runs, flows, webhooks,
// agents, interrupted streams) runs at a steady pace; memory, descriptors and connections are sampled, and the last
// third of the time is compared with the middle one. SOAK_MINUTES sets the duration (`npm run prove -- soak --size
// large`: an hour).
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createDatabase } from './support/database.ts'
import { type Fleet, startFleet } from './support/fleet.ts'
import { type MixedLoad, startMixedLoad } from './support/mixed-load.ts'
import { judge, settle } from './support/mixed-verdict.ts'

const minutes = Number(process.env.SOAK_MINUTES ?? 0.1)
const soakMs = minutes * 60_000
const samples = 60
/** After this time without progress, nothing more will end. */
const progressTimeoutMs = 60_000
const pace = { run: 400, flow: 1_600, hook: 1_200, chat: 2_000, stream: 1_200, read: 100 }

vi.setConfig({ hookTimeout: 300_000, testTimeout: 600_000 + soakMs * 2 })

type Size = { memoryMb: number; descriptors: number; connections: number }
const parts = ['memoryMb', 'descriptors', 'connections'] as const
/** Tolerated variation within a third of the time. */
const sway: Size = { memoryMb: 48, descriptors: 40, connections: 8 }

let fleet: Fleet
let load: MixedLoad | undefined

beforeAll(async () => {
  fleet = await startFleet({ size: 1, database: await createDatabase() })
})
afterAll(async () => {
  await load?.stop()
  await fleet?.remove()
})

const sizeOf = async (pid: number): Promise<Size> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const { rows } = await fleet.database.query(
    'select count(*)::int as count from pg_stat_activity where datname = current_database()',
  )
  return {
    memoryMb: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024,
    descriptors: (await readdir(`/proc/${pid}/fd`)).length,
    connections: Number(rows[0]?.count),
  }
}

/** A shared machine may pause for seconds; callers then get a retryable error and retry. */
const isWait = (answer: string): boolean => / 503 .*"detail":"The database is busy; try again in a moment"/.test(answer)

const median = (sizes: readonly Size[], part: keyof Size): number =>
  sizes.map((size) => size[part]).sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0

it.runIf(process.platform === 'linux')(`for ${minutes} minutes everything is retained, and nothing grows`, async () => {
  const pid = fleet.members[0]?.server.pid ?? 0
  load = await startMixedLoad(fleet, pace)
  load.countRefusals(true)
  const sizes: Size[] = []
  for (let n = 0; n < samples; n += 1) {
    await sleep(soakMs / samples)
    sizes.push(await sizeOf(pid))
  }
  const acknowledged = load.count()
  await load.stop()
  await settle(fleet, progressTimeoutMs)
  const [middle, last] = [sizes.slice(samples / 3, (2 * samples) / 3), sizes.slice((2 * samples) / 3)]
  const summary = parts.map((part) => `${part} ${median(middle, part).toFixed(0)} → ${median(last, part).toFixed(0)}`)
  const [retried, refused] = [load.refused.filter(isWait), load.refused.filter((answer) => !isWait(answer))]
  console.log(
    `${acknowledged} acknowledged in ${minutes} minutes, ${retried.length} had to be retried; ${summary.join(', ')}`,
  )
  expect(refused).toEqual([])
  expect(await judge(fleet, load.acknowledged)).toEqual({ lost: [], stuck: [], failed: [], twice: [], transcripts: [] })

  expect(acknowledged).toBeGreaterThan(0)
  for (const part of parts) expect(median(last, part) - median(middle, part), part).toBeLessThan(sway[part])
})
