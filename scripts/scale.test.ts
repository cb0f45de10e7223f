// Guarantees: the estimate in docs/scale.md: the plan covers the demand, queueing delay grows with utilization,
// and the same figures give the same result.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { aim, type Measured, planFor, scaleText, simulate } from './scale.ts'

const measured = JSON.parse(readFileSync(new URL('../docs/scale.json', import.meta.url), 'utf8')) as Measured
const costs = measured.servers[3]
const plan = planFor(costs)

it('plans for the whole demand', () => {
  expect(plan.cells * plan.runsPerSecond).toBeCloseTo(aim.runsPerSecond)
  expect(plan.cells * plan.eventsPerSecond).toBeCloseTo(aim.openStreams * aim.eventsPerStreamPerSecond)
})

it('has the computed utilization, and longer delays with higher utilization', () => {
  const of = (servers: number) => simulate({ costs, plan, servers, load: 1, seconds: 0.5 })
  const planned = of(plan.serversPerCell)
  const worked = plan.runsPerSecond * costs.runs.serverUs + plan.eventsPerSecond * costs.streams.serverUs
  expect(planned.serverBusy).toBeCloseTo(worked / 1e6 / plan.serversPerCell, 1)
  const fewer = of(Math.ceil(plan.serversPerCell * 0.7))
  expect(fewer.serverBusy).toBeGreaterThan(planned.serverBusy)
  expect(fewer.runP99Ms).toBeGreaterThan(planned.runP99Ms)
})

it('gives the same result again', () => {
  expect(scaleText(costs)).toBe(scaleText(costs))
})
