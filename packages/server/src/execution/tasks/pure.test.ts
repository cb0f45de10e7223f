// Guarantees: legal moves, timings, usage and storable values are pure functions of their arguments.
import { isTerminal, mayMove, movesTo, taskStatus } from '@millrace/contract/task-status'
import { describe, expect, it } from 'vitest'
import { logsDto } from './dto.ts'
import { storableJson, storableText } from './storable.ts'
import { urisIn } from './stored-uris.ts'
import { timingsOf } from './timings.ts'
import { usageOf } from './usage.ts'

const codes = Object.values(taskStatus)

describe('moves', () => {
  it('a terminal status is final', () => {
    for (const from of codes.filter(isTerminal)) for (const to of codes) expect(mayMove(from, to)).toBe(false)
  })
  it('every other status can be canceled or ended', () => {
    for (const from of codes.filter((code) => !isTerminal(code)))
      for (const to of [8, 10, 11, 12]) expect(mayMove(from, to)).toBe(true)
  })
  it('otherwise a status only moves forward, except back from a rejected dispatch', () => {
    for (const from of codes.filter((code) => !isTerminal(code)))
      for (const to of codes.filter((code) => code < 10 && code !== 8))
        expect([from, to, mayMove(from, to)]).toEqual([from, to, to >= from || (from === 3 && to <= 2)])
  })
  it('an update names exactly the codes that the table allows', () => expect(movesTo(2)).toEqual([1, 2, 3]))
})

const at = (ms: number) => new Date(Date.UTC(2030, 0, 1) + ms).toISOString()
const events = (...steps: [number, number][]) =>
  steps.map(([status, ms]) => ({ id: `${ms}`, status, event_time: at(ms) }))

describe('timings', () => {
  it('a complete lifecycle in groups', () => {
    const life = events([1, 0], [2, 10], [3, 100], [4, 150], [5, 200], [6, 300], [7, 600], [9, 1600], [10, 1834])
    const timings = timingsOf('t', 10, life, at(99_999))
    expect(timings.groups.map(({ label, duration_ms }) => [label, duration_ms])).toEqual([
      ['queue', 100],
      ['dispatch', 50],
      ['prepare', 150],
      ['setup', 300],
      ['run', 1000],
      ['upload', 234],
    ])
    expect(timings).toMatchObject({ status: 10, total_duration_ms: 1834, total_duration: '1.834s' })
    expect(timings.events[0]).toEqual({
      status: 'received',
      timestamp: at(0),
      duration: '0.010s',
      duration_ms: 10,
      next_status: 'queued',
    })
    expect(timings.events.at(-1)).toEqual({ status: 'completed', timestamp: at(1834) })
  })
  it('a running task counts up to now and has no end', () => {
    const { groups, total_duration_ms } = timingsOf('t', 7, events([1, 0], [7, 100]), at(350))
    expect(total_duration_ms).toBe(350)
    expect(groups.at(-1)).toEqual({ label: 'run', start_at: at(100), duration_ms: 250, duration: '0.250s' })
  })
  it('a second dispatch is a separate group', () =>
    expect(timingsOf('t', 3, events([2, 0], [3, 1], [2, 2], [3, 3]), at(4)).groups.map(({ label }) => label)).toEqual([
      'queue',
      'dispatch',
      'queue',
      'dispatch',
    ]))
})

describe('usage', () => {
  const task = {
    id: 't',
    status: 10,
    user_id: 'u',
    team_id: 'o',
    visibility: 'team',
    worker_id: 'w',
    gpu_count: 0,
    gpu_type: '',
    events: events([3, 0], [6, 500], [7, 1000], [10, 2500]),
  }
  it('counts seconds from setup to the end', () =>
    expect(usageOf(task, 'cloud')).toMatchObject([
      {
        id: 't-cpu',
        user_id: 'u',
        team_id: 'o',
        created_at: at(2500),
        type: 'cpu',
        tier: 'cloud',
        quantity: 2,
        unit: 'second',
        resource_id: 'w',
      },
    ]))
  it('counts each GPU', () =>
    expect(usageOf({ ...task, gpu_count: 2, gpu_type: 'nvidia' }, 'private')[1]).toMatchObject({
      type: 'gpu',
      model: 'nvidia',
      quantity: 4,
    }))
  it('counts nothing while the task runs or if it never ran', () => {
    expect(usageOf({ ...task, status: 7 }, 'cloud')).toEqual([])
    expect(usageOf({ ...task, events: events([2, 0], [12, 9]) }, 'cloud')).toEqual([])
  })
})

describe('storable', () => {
  it.each([
    ['plain', { a: 'b' }, '{"a":"b"}'],
    ['NUL in a value', { a: 'x\0y' }, '{"a":"x\uFFFDy"}'],
    ['NUL in a name', { 'a\0': [1] }, '{"a\uFFFD":[1]}'],
    ['half a pair', ['\uD83D'], '["\uFFFD"]'],
    ['a whole pair', ['\u{1F600}'], '["\u{1F600}"]'],
    ['the literal text of an escape sequence', ['\\u0000'], '["\\\\u0000"]'],
    ['nothing', undefined, 'null'],
  ])('%s', (_claim, value, text) => expect(storableJson(value)).toBe(text))
  it('text', () => expect(storableText('a\0\uDC00')).toBe('a\uFFFD\uFFFD'))
})

it('finds addresses at any depth, by dotted path', () =>
  expect(urisIn({ a: [{ uri: 'https://x/1' }, 'http://y/2'], b: 'ftp://z', c: null })).toEqual([
    { field: 'a.0.uri', uri: 'https://x/1' },
    { field: 'a.1', uri: 'http://y/2' },
  ]))

describe('times of logs', () => {
  it.each([
    ['2031-02-01T10:00:00.4953+00:00', '2031-02-01T10:00:00.495300Z'],
    ['2031-02-01T10:00:00+00:00', '2031-02-01T10:00:00.000000Z'],
    ['2031-02-01T10:00:00.123456Z', '2031-02-01T10:00:00.123456Z'],
  ])('%s, as the database writes it, has microseconds on the wire', (written, shown) => {
    const [log] = logsDto('task', [{ log_type: 1, content: '', created_at: written, updated_at: written }])
    expect(log).toMatchObject({ created_at: shown, updated_at: shown })
  })
})
