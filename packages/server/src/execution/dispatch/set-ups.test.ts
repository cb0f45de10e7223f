// Guards: apps that take turns do not have every worker set up anew for each of their runs, and no task waits for long
// for a worker that is set up for it while another one could take it.
import { expect, it } from 'vitest'
import { createSetUps } from './set-ups.ts'

const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
const task = (warm_key: string, over: object = {}) => ({
  warm_key,
  available_at: at(100),
  workers: [],
  session_worker_id: null,
  ...over,
})
const worker = (id: string, ...warm_apps: string[]) => ({ id, warm_apps, idle_since: at(100) as string | null })

/** Worker 0 was set up for the model and worker 1 for the tool, both at second 99; both are idle since second 100. */
const given = () => {
  let nowMs = 99_000
  const setUps = createSetUps(() => nowMs)
  setUps.took(task('model'), worker('0'))
  setUps.took(task('tool'), worker('1'))
  const setClock = (seconds: number) => {
    nowMs = seconds * 1000
  }
  setClock(100)
  return { setUps, setClock }
}

const cases: [claim: string, may: boolean, asked: ReturnType<typeof task>, of: ReturnType<typeof worker>][] = [
  ['the worker that is set up for it', true, task('tool'), worker('1', 'tool')],
  ['one that is set up for nothing', true, task('tool'), worker('2')],
  ['one of another app, when none is set up for this one', true, task('third'), worker('0', 'model')],
  ['not one of another app, when one is set up for this one', false, task('tool'), worker('0', 'model')],
  ['the one that it names', true, task('tool', { workers: ['0'] }), worker('0', 'model')],
  ['the one of its session', true, task('tool', { session_worker_id: '0' }), worker('0', 'model')],
  ['one that nobody has used yet', true, task('tool'), { ...worker('0', 'model'), idle_since: null }],
  ['one that had nothing to do for a second', true, task('tool'), { ...worker('0', 'model'), idle_since: at(99) }],
]
it.each(cases)('%s', (_claim, may, asked, of) => expect(given().setUps.mayTake(asked, of)).toBe(may))

it('a task that waits for five seconds takes a worker that was not set up just now', () => {
  const { setUps, setClock } = given()
  const busy = { ...worker('0', 'model'), idle_since: at(105) }
  setClock(104.9)
  expect(setUps.mayTake(task('tool'), busy)).toBe(false)
  setClock(105)
  expect(setUps.mayTake(task('tool'), busy)).toBe(true)
  setUps.took(task('other'), worker('0', 'model'))
  expect(setUps.mayTake(task('tool'), { ...busy, warm_apps: ['other'] })).toBe(false)
})

it('a worker that was set up for something else since is no longer waited for', () => {
  const { setUps } = given()
  setUps.took(task('third'), worker('1', 'tool'))
  expect(setUps.mayTake(task('tool'), worker('0', 'model'))).toBe(true)
})
