// Guarantees: no request, however malformed, causes a 5xx or an error without a known code, or blocks the event loop.
// `npm run prove -- fuzz --size large` sends 200,000; the ordinary test run 3,000. FUZZ_SEED repeats a run.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fuzz } from '../testing/fuzz.ts'
import { createWorld, type World } from '../testing/world.ts'

const requests = Number(process.env.FUZZ_REQUESTS ?? 3_000)
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it(`${requests} requests from the OpenAPI document, seed ${seed}`, { timeout: 7_200_000 }, async () => {
  const { findings, operations, statuses, signedIn, blocking } = await fuzz(world, requests, seed)
  const share = (count: number): string => `${((100 * count) / requests).toFixed(1)} %`
  const shares = Object.entries(statuses).map(([status, count]) => `${status}: ${share(count)}`)
  console.log(
    `fuzz: ${requests} requests over ${operations} routes, seed ${seed}, ${findings.length} findings; ${shares.join(', ')}`,
  )
  // Callers stay signed in, otherwise the run would mostly test refusals.
  expect(signedIn.refused / signedIn.requests).toBeLessThan(0.05)
  expect(findings.slice(0, 20)).toEqual([])
  expect(blocking.slice(0, 20)).toEqual([])
})
