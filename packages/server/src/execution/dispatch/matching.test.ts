// Guarantees: which worker may run which task, and which worker is preferred.
import { describe, expect, it } from 'vitest'
import { type IdleWorker, matchTasks, type QueuedTask } from './matching.ts'

const task = (over: Partial<QueuedTask> = {}): QueuedTask => ({
  id: 't',
  team_id: 'us',
  user_id: 'me',
  app_id: 'app',
  app_version_id: 'v1',
  infra: 'cloud',
  workers: [],
  warm_key: 'app:v1@x',
  available_at: '2026-01-01T00:00:00Z',
  session_id: null,
  session_worker_id: null,
  gpu_count: 0,
  gpu_type: '',
  gpu_vram: 0,
  ram: 0,
  ...over,
})
const worker = (id: string, over: Partial<IdleWorker> = {}): IdleWorker => ({
  id,
  engine_id: 'e',
  label: `mill-cpu-${id}`,
  infra: 'cloud',
  engine_team_id: 'platform',
  engine_user_id: 'operator',
  engine_visibility: 'team',
  warm_apps: [],
  idle_since: null,
  active_session_id: null,
  reserved_for: null,
  gpu_count: 0,
  gpu_type: 'none',
  gpu_vram: 0,
  ram: 16,
  shared_gpus: [],
  gpu_room: 0,
  ...over,
})
const own = { infra: 'private', engine_team_id: 'us' } as const
const hidden = { engine_visibility: 'private' }
const gpu = { gpu_count: 2, gpu_type: 'nvidia', gpu_vram: 24 }

const cases: [claim: string, task: Partial<QueuedTask>, workers: IdleWorker[], takenBy: string | null][] = [
  ['the worker that has been idle longest', {}, [worker('0'), worker('1')], '0'],
  ...(['private', 'private_first'] as const).flatMap((infra): typeof cases => [
    [
      `a colleague’s private engine, ${infra}`,
      { infra },
      [worker('0', { ...own, ...hidden, engine_user_id: 'you' })],
      null,
    ],
    [`one’s own private engine, ${infra}`, { infra }, [worker('0', { ...own, ...hidden, engine_user_id: 'me' })], '0'],
  ]),
  [
    'the same setup first',
    {},
    [worker('0'), worker('1', { warm_apps: ['app:v1@y'] }), worker('2', { warm_apps: ['app:v1@x'] })],
    '2',
  ],
  [
    'then the same version',
    {},
    [worker('0', { warm_apps: ['app:v0@x'] }), worker('1', { warm_apps: ['app:v1@y'] })],
    '1',
  ],
  ['then the same app', {}, [worker('0', { warm_apps: ['apple:v1@x'] }), worker('1', { warm_apps: ['app:v0@'] })], '1'],
  [
    'an unreserved worker before one with the same version that is reserved',
    {},
    [worker('0', { reserved_for: 'them', warm_apps: ['app:v1@y'] }), worker('1')],
    '1',
  ],
  ['cloud never goes to private workers', {}, [worker('0', own)], null],
  ['private goes only to the own workspace', { infra: 'private' }, [worker('0'), worker('1', own)], '1'],
  [
    'not to a private engine of another workspace',
    { infra: 'private' },
    [worker('0', { ...own, engine_team_id: 'them' })],
    null,
  ],
  [
    'private_first prefers a private worker to a warm one',
    { infra: 'private_first' },
    [worker('0', { warm_apps: ['app:v1@x'] }), worker('1', own)],
    '1',
  ],
  ['private_first falls back to the cloud', { infra: 'private_first' }, [worker('0')], '0'],
  [
    'a worker named by its label',
    { infra: 'private', workers: ['mill-cpu-1'] },
    [worker('0', own), worker('1', own)],
    '1',
  ],
  ['part of an id matches no worker', { infra: 'private', workers: [''] }, [worker('0', own)], null],
  ['enough GPUs', { gpu_count: 2, gpu_type: 'nvidia', gpu_vram: 24 }, [worker('0'), worker('1', gpu)], '1'],
  ['too many GPUs', { gpu_count: 3 }, [worker('1', gpu)], null],
  ['another kind of GPU', { gpu_count: 1, gpu_type: 'amd' }, [worker('1', gpu)], null],
  ['too little GPU memory', { gpu_count: 1, gpu_vram: 25 }, [worker('1', gpu)], null],
  ['too little memory', { ram: 17 }, [worker('0')], null],
  ['unknown memory counts as enough', { ram: 17 }, [worker('0', { ram: 0 })], '0'],
  ['a leased worker serves only its session', {}, [worker('0', { active_session_id: 's' })], null],
  [
    'a session uses only its own worker',
    { session_id: 's', session_worker_id: '1' },
    [worker('0'), worker('1', { active_session_id: 's' })],
    '1',
  ],
  ['a session waits for its own worker', { session_id: 's', session_worker_id: '1' }, [worker('0')], null],
]

it.each(cases)('%s', (_claim, over, workers, takenBy) =>
  expect(matchTasks([task(over)], workers, new Map())[0]?.worker.id ?? null).toBe(takenBy),
)

describe('several tasks at once', () => {
  const ids = (matches: { task: QueuedTask }[]) => matches.map((match) => match.task.id)
  const workers = [worker('0'), worker('1'), worker('2')]
  it('a worker gets one task', () =>
    expect(ids(matchTasks([task({ id: 'a' }), task({ id: 'b' })], [worker('0')], new Map()))).toEqual(['a']))
  it('a workspace gets no more than its slots and does not block others', () => {
    const tasks = [task({ id: 'a' }), task({ id: 'b' }), task({ id: 'c', team_id: 'them' })]
    expect(ids(matchTasks(tasks, workers, new Map([['us', 1]])))).toEqual(['a', 'c'])
  })
  it('a session without a worker starts one task', () => {
    const tasks = [task({ id: 'a', session_id: 's' }), task({ id: 'b', session_id: 's' }), task({ id: 'c' })]
    expect(ids(matchTasks(tasks, workers, new Map()))).toEqual(['a', 'c'])
  })
  it('a task that cannot start does not block tasks that can', () =>
    expect(ids(matchTasks([task({ id: 'a', gpu_count: 8 }), task({ id: 'b' })], workers, new Map()))).toEqual(['b']))
})
