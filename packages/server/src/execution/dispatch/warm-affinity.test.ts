// Guarantees: apps that alternate do not reinitialize every worker for each run, and no task waits long for a warm
// worker while another worker could take it.
import { expect, it } from 'vitest'
import { createWarmAffinity } from './warm-affinity.ts'

const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
const task = (warm_key: string, over: object = {}) => ({
  warm_key,
  available_at: at(100),
  workers: [],
  session_worker_id: null,
  ...over,
})
const worker = (id: string, ...warm_apps: string[]) => ({ id, warm_apps, idle_since: at(100) as string | null })

/**
 * Worker 0 was initialized for the model and worker 1 for the tool, both at second 99; both are idle since second 100.
 */
const given = () => {
  let nowMs = 99_000
  const warmAffinity = createWarmAffinity(() => nowMs)
  warmAffinity.matched(task('model'), worker('0'))
  warmAffinity.matched(task('tool'), worker('1'))
  const setClock = (seconds: number) => {
    nowMs = seconds * 1000
  }
  setClock(100)
  return { warmAffinity, setClock }
}

const cases: [claim: string, may: boolean, candidate: ReturnType<typeof task>, of: ReturnType<typeof worker>][] = [
  ['a worker that is warm for it', true, task('tool'), worker('1', 'tool')],
  ['a worker without a process', true, task('tool'), worker('2')],
  ['a worker of another app, when none is warm for this one', true, task('third'), worker('0', 'model')],
  ['not a worker of another app, when one is warm for this one', false, task('tool'), worker('0', 'model')],
  ['the worker that it names', true, task('tool', { workers: ['0'] }), worker('0', 'model')],
  ['the worker of its session', true, task('tool', { session_worker_id: '0' }), worker('0', 'model')],
  ['a worker that was never used', true, task('tool'), { ...worker('0', 'model'), idle_since: null }],
  ['a worker that was idle for a second', true, task('tool'), { ...worker('0', 'model'), idle_since: at(99) }],
]
it.each(cases)('%s', (_claim, may, candidate, of) => expect(given().warmAffinity.mayTake(candidate, of)).toBe(may))

it('a task that waited for five seconds takes a worker that was not initialized recently', () => {
  const { warmAffinity, setClock } = given()
  const busy = { ...worker('0', 'model'), idle_since: at(105) }
  setClock(104.9)
  expect(warmAffinity.mayTake(task('tool'), busy)).toBe(false)
  setClock(105)
  expect(warmAffinity.mayTake(task('tool'), busy)).toBe(true)
  warmAffinity.matched(task('other'), worker('0', 'model'))
  expect(warmAffinity.mayTake(task('tool'), { ...busy, warm_apps: ['other'] })).toBe(false)
})

it('a task does not wait for a worker that was reinitialized for another app', () => {
  const { warmAffinity } = given()
  warmAffinity.matched(task('third'), worker('1', 'tool'))
  expect(warmAffinity.mayTake(task('tool'), worker('0', 'model'))).toBe(true)
})
