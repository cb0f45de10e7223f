// Runs for tests, created through the real operation. Their ends are written by the production code.

import type { App } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import type { Task, TaskResult } from '@millrace/contract/tasks'
import { forgetLimits } from '#accounts/plans/service.ts'
import type { Scenario } from '../../../testing/scenarios.ts'
import type { As, World } from '../../../testing/world.ts'
import { deploy, show } from '../../apps/testing/given.ts'
import { move } from '../moves.ts'

export const unknownId = '00000000000000000000000000'

export const givenApp = async (world: World, version: object = {}): Promise<App> =>
  show(world, 'owner', await deploy(world, 'owner', Object.keys(version).length > 0 ? { version } : {}), 'team')

export const run = async (world: World, app: App, body: object = {}, as: As = 'owner'): Promise<TaskResult> => {
  const answer = await world.call(as, 'POST /run', { body: { app_id: app.id, input: { text: 'hi' }, ...body } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const taskOf = async (world: World, id: string, as: As = 'owner'): Promise<Task> =>
  (await world.call(as, `GET /tasks/${id}`)).data

export const finish = async (world: World, id: string, output: unknown = { text: 'hi' }): Promise<void> => {
  await move(world.ctx(), id, { fence: null, to: taskStatus.completed, output })
}

export type GivenTasks = {
  app: App
  /** Queued, visible to the workspace. */
  waiting: string
  /** Completed and public. */
  shown: string
  /** Queued in another workspace. */
  foreign: string
}

export const givenTasks = async (world: World): Promise<GivenTasks> => {
  const app = await givenApp(world)
  const theirs = await deploy(world, 'stranger')
  const shown = await run(world, app)
  await finish(world, shown.id)
  await world.call('owner', `POST /tasks/${shown.id}/visibility`, { body: { visibility: 'public' } })
  const foreign = await run(world, theirs, {}, 'stranger')
  return { app, waiting: (await run(world, app)).id, shown: shown.id, foreign: foreign.id }
}

/** Refusals that all reads of a single task share. */
export const readRefusals: Scenario<GivenTasks>[] = [
  {
    claim: 'an anonymous caller cannot see a task of the workspace',
    as: null,
    path: waiting,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a key without the scope counts as anonymous',
    as: 'key:flows:read',
    path: waiting,
    status: 404,
    code: 'not_found',
  },
  { claim: 'another workspace', as: 'stranger', path: waiting, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
  { claim: 'a wildcard is not an id', as: 'owner', path: { id: '________' }, status: 404, code: 'not_found' },
]

/** Refusals that all changes of a single task share. */
export const writeRefusals = (body?: unknown): Scenario<GivenTasks>[] => [
  { claim: 'no credential', as: null, path: waiting, body, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:apps:read',
    path: waiting,
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace', as: 'stranger', path: waiting, body, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, body, status: 404, code: 'not_found' },
]

export function waiting(given: GivenTasks) {
  return { id: given.waiting }
}

export const shown = (given: GivenTasks) => ({ id: given.shown })

/** Limits the concurrent tasks of the workspace under test. */
export const limitConcurrency = async (world: World, limit: number): Promise<void> => {
  await world.open.platform.db
    .insertInto('entitlements')
    .values({
      id: newId(),
      team_id: world.team.id,
      resource: 'concurrency',
      type: 'limit',
      enabled: true,
      limit,
      source: 'override',
    })
    .execute()
  forgetLimits(world.open.platform, world.team.id)
}
