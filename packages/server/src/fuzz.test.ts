// Guards: no request, however malformed, makes the server answer 5xx or an error without a known code.
// `npm run fuzz` sends 50,000; the ordinary test run a tenth of that. FUZZ_SEED repeats a run.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fuzz } from './testing/fuzz.ts'
import { createWorld, type World } from './testing/world.ts'

const requests = Number(process.env.FUZZ_REQUESTS ?? 5_000)
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it(`${requests} requests from the OpenAPI document, seed ${seed}`, { timeout: 900_000 }, async () => {
  const { findings, operations, statuses } = await fuzz(world, requests, seed)
  console.log(
    `fuzz: ${requests} requests over ${operations} routes, seed ${seed}, ${findings.length} findings, statuses ${JSON.stringify(statuses)}`,
  )
  expect(findings.slice(0, 20)).toEqual([])
})
