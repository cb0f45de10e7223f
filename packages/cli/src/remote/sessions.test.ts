// Guarantees: the daemon implements the rules of docs/protocol/remote.md about coding agents, with an agent that the
// test controls.
import { tmpdir } from 'node:os'
import { harnessKinds } from '@millrace/contract/harnesses'
import type { RemoteToServer, ServerToRemote } from '@millrace/contract/remote-frames'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Driver, DriverEvents, DriverStart } from './harness/driver.ts'
import { createSessions, type Sessions } from './sessions.ts'

let said: RemoteToServer[]
let done: string[]
let starts: DriverStart[]
let agent: DriverEvents
let sessions: Sessions

const driver: Driver = (start, events) => {
  starts.push(start)
  agent = events
  return {
    prompt: (text) => void done.push(`prompt ${text}`),
    interrupt: () => void done.push('interrupt'),
    resolve: (id, decision, reason) => void done.push(`resolve ${id} ${decision} ${reason}`.trim()),
    close: () => void done.push('close'),
  }
}

const create = (isOn = true): Sessions =>
  createSessions({
    isOn,
    commands: new Map([['claude', '/bin/claude']]),
    drivers: Object.fromEntries(harnessKinds.map((kind) => [kind, driver])) as Parameters<
      typeof createSessions
    >[0]['drivers'],
    cwd: tmpdir(),
    env: { PATH: '/bin' },
    now: () => new Date(0),
    say: () => {},
  })

beforeEach(() => {
  vi.useFakeTimers()
  said = []
  done = []
  starts = []
  sessions = create()
  sessions.connect((frame) => void said.push(frame))
})
afterEach(() => {
  sessions.close()
  vi.useRealTimers()
})

const hear = (type: ServerToRemote['type'], data: object): void => {
  sessions.receive({ type, data: { chat_id: 'c', ...data } } as ServerToRemote)
}
const open = (more: object = {}): void => hear('remote_session_open', { harness: 'claude', ...more })
const prompt = (runId: string, text: string, id = text): void =>
  hear('remote_session_prompt', { run_id: runId, text, message_id: id })
const words = (text: string): void => agent.event('content.delta', { kind: 'text', delta: text })
const over = (state = 'completed'): void => agent.event('run.state_changed', { to_state: state })
const last = () => said.at(-1)
const events = () => said.flatMap((frame) => (frame.type === 'remote_session_event' ? [frame.data] : []))

it('[D13] a session starts once, and only where agents are allowed', () => {
  open({ resume_session_id: 'old' })
  agent.opened('old', true)
  open()
  expect(starts).toEqual([{ command: '/bin/claude', cwd: tmpdir(), env: { PATH: '/bin' }, resumeSessionId: 'old' }])
  const opened = { chat_id: 'c', harness_session_id: 'old', resumed: true, seq: 0 }
  expect(said).toEqual([
    { type: 'remote_session_opened', data: opened },
    { type: 'remote_session_opened', data: opened },
  ])
  hear('remote_session_open', { chat_id: 'd', harness: 'goose' })
  expect(last()).toEqual({
    type: 'remote_session_closed',
    data: { chat_id: 'd', error: 'goose is not installed on this machine' },
  })
  hear('remote_session_open', { chat_id: 'd', harness: 'claude', cwd: '/no/such/folder' })
  expect(last()).toMatchObject({ data: { error: 'folder /no/such/folder not found' } })
  hear('remote_session_open', { chat_id: 'd', harness: 'claude', resume_session_id: '--dangerous' })
  expect(last()).toMatchObject({ data: { error: expect.stringContaining('not a session id') } })
  const off = create(false)
  off.connect((frame) => void said.push(frame))
  off.receive({ type: 'remote_session_open', data: { chat_id: 'd', harness: 'claude' } })
  expect(last()).toMatchObject({ type: 'remote_session_closed', data: { error: expect.stringContaining('--agents') } })
})

it('[D14] a prompt runs once; a prompt of another run waits for the current turn', () => {
  open()
  agent.opened('s', false)
  prompt('r1', 'one')
  prompt('r1', 'one')
  prompt('r1', 'rather this')
  prompt('r2', 'two')
  prompt('r2', 'two')
  expect(done).toEqual(['prompt one', 'prompt rather this'])
  over()
  expect(done.slice(2)).toEqual(['prompt two'])
  over()
  expect(events().map(({ event }) => event.run_id)).toEqual(['r1', 'r2'])
})

it('[D15] events are numbered, kept until they are acknowledged, and sent again', () => {
  open()
  agent.opened('s', false)
  prompt('r', 'go')
  for (const text of ['a', 'b', 'c']) words(text)
  hear('remote_session_ack', { seq: 1 })
  sessions.connect(null)
  words('d')
  said = []
  sessions.connect((frame) => void said.push(frame))
  words('e')
  expect(said).toEqual([])
  hear('remote_session_replay', { after_seq: 2 })
  expect(events().map(({ seq, gap, event }) => [seq, gap, event.payload?.delta])).toEqual([
    [3, undefined, 'c'],
    [4, undefined, 'd'],
    [5, undefined, 'e'],
  ])
  // Without acknowledgements the oldest events are dropped and reported; at most one window is in flight.
  said = []
  for (let n = 0; n < 6; n += 1) words('x'.repeat(1024 * 1024))
  expect(events().length).toBeLessThanOrEqual(1)
  hear('remote_session_replay', { after_seq: 5 })
  const [first] = events().slice(-1)
  expect(first?.seq).toBeGreaterThan(6)
  expect(first?.gap).toBe(true)
})

it('[D16] reports an unknown session as closed', () => {
  hear('remote_session_replay', { after_seq: 0 })
  prompt('r', 'hello?')
  expect(said).toEqual([
    { type: 'remote_session_closed', data: { chat_id: 'c', error: 'unknown session' } },
    { type: 'remote_session_closed', data: { chat_id: 'c', error: 'unknown session' } },
  ])
  hear('remote_session_close', {})
  expect(last()).toEqual({ type: 'remote_session_closed', data: { chat_id: 'c' } })
})

it('[D17] an interrupt ends the turn; an agent that does not stop is killed', () => {
  open()
  agent.opened('s', false)
  hear('remote_session_interrupt', {})
  expect(done).toEqual([])
  prompt('r', 'go')
  hear('remote_session_interrupt', {})
  over('canceled')
  vi.advanceTimersByTime(20_000)
  expect(done).toEqual(['prompt go', 'interrupt'])
  prompt('r2', 'again')
  hear('remote_session_interrupt', {})
  vi.advanceTimersByTime(15_000)
  expect(last()).toEqual({
    type: 'remote_session_closed',
    data: { chat_id: 'c', error: 'the coding agent did not stop' },
  })
  expect(done.at(-1)).toBe('close')
})

it('answers, lists and waits', () => {
  open()
  agent.opened('s', false)
  prompt('r', 'go')
  hear('remote_session_resolve', { request_id: 'q', decision: 'deny', reason: 'no' })
  expect(done.at(-1)).toBe('resolve q deny no')
  sessions.receive({ type: 'remote_sessions_list', data: { request_id: 'l' } })
  expect(last()).toMatchObject({
    type: 'remote_sessions_listed',
    data: { request_id: 'l', sessions: [{ harness: 'claude', id: 's', cwd: tmpdir(), live: true }] },
  })
  vi.advanceTimersByTime(60 * 60_000)
  expect(done.at(-1)).not.toBe('close')
  over()
  vi.advanceTimersByTime(31 * 60_000)
  expect(last()).toEqual({ type: 'remote_session_closed', data: { chat_id: 'c' } })
  expect(sessions.receive({ type: 'remote_exec_ack', data: { exec_run_id: 'x', seq: 1, exited: true } })).toBe(false)
})
