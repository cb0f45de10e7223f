// Guarantees: each protocol of coding agents works with a small program that implements it: session, turn, approval,
// tool call, answer, stop and end.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HarnessKind, harnessKinds } from '@millrace/contract/harnesses'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Driven } from './harness/driver.ts'
import { drivers } from './harness/drivers.ts'

const lineProtocol = `
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
const hear = (take) => require('node:readline').createInterface({ input: process.stdin }).on('line', (l) => take(JSON.parse(l)))
if (process.env.MILLRACE_API_KEY) process.exit(9)
`

const acp = `${lineProtocol}
let asked
hear(({ id, method, params, result }) => {
  const update = (u) => say({ method: 'session/update', params: { sessionId: 's1', update: u } })
  if (method === 'initialize') say({ id, result: { agentCapabilities: { loadSession: true } } })
  if (method === 'session/new') say({ id, result: { sessionId: 's1' } })
  if (method === 'session/load') {
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'said long ago' } })
    say({ id, result: {} })
  }
  if (method === 'session/cancel') say({ id: asked, result: { stopReason: 'cancelled' } })
  if (method === 'session/prompt') {
    asked = id
    if (params.prompt[0].text === 'wait') return
    if (params.prompt[0].text === 'die') process.exit(3)
    update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Bash', rawInput: { command: 'ls' }, status: 'pending' })
    say({ id: 'q', method: 'session/request_permission', params: { toolCall: { toolCallId: 't1', title: 'Bash' },
      options: [{ optionId: 'yes', kind: 'allow_once' }, { optionId: 'no', kind: 'reject_once' }] } })
  }
  if (id === 'q') {
    const isAllowed = result.outcome.optionId === 'yes'
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: isAllowed ? 'completed' : 'failed',
      content: [{ type: 'content', content: { type: 'text', text: 'a b' } }] })
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'done' } })
    say({ id: asked, result: { stopReason: 'end_turn' } })
  }
})`

const streamJson = `${lineProtocol}
const args = process.argv.join(' ')
if (!/--(session-id|resume) \\S/.test(args) || !args.includes('--input-format stream-json')) process.exit(4)
const result = (more = {}) => say({ type: 'result', subtype: 'success', is_error: false, usage: { input_tokens: 3, output_tokens: 4 }, ...more })
hear((line) => {
  if (line.type === 'user') {
    const { text } = line.message.content[0]
    if (text === 'wait') return
    if (text === 'die') { console.error('out of luck'); process.exit(3) }
    say({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }] } })
    say({ type: 'control_request', request_id: 'q', request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' } })
  }
  if (line.type === 'control_request' && line.request.subtype === 'interrupt') result({ is_error: true, subtype: 'error_during_execution' })
  if (line.type === 'control_response') {
    const isAllowed = line.response.request_id === 'q' && line.response.response.behavior === 'allow'
    say({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a b', is_error: !isAllowed }] } })
    say({ type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text: 'done' } } })
    result()
  }
})`

const appServer = `${lineProtocol}
if (process.argv[2] !== 'app-server') process.exit(4)
const over = (status) => say({ method: 'turn/completed', params: { turn: { id: 'u', status } } })
hear(({ id, method, params, result }) => {
  if (method === 'initialize') say({ id, result: {} })
  if (method === 'thread/start') say({ id, result: { thread: { id: 's1' } } })
  if (method === 'thread/resume') say({ id, result: { thread: { id: params.threadId } } })
  if (method === 'turn/interrupt') { say({ id, result: {} }); over('interrupted') }
  if (method === 'turn/start') {
    say({ id, result: { turn: { id: 'u' } } })
    if (params.input[0].text === 'wait') return
    if (params.input[0].text === 'die') process.exit(3)
    say({ method: 'item/started', params: { item: { id: 't1', type: 'commandExecution', command: 'ls', status: 'inProgress' } } })
    say({ id: 77, method: 'item/commandExecution/requestApproval', params: { itemId: 't1', command: 'ls' } })
  }
  if (id === 77) {
    const isAllowed = result.decision === 'accept'
    say({ method: 'item/completed', params: { item: { id: 't1', type: 'commandExecution', status: isAllowed ? 'completed' : 'declined', aggregatedOutput: 'a b' } } })
    say({ method: 'item/agentMessage/delta', params: { delta: 'done' } })
    over('completed')
  }
})`

const perTurn = `${lineProtocol}
const [command] = process.argv.slice(2)
if (command === 'create-chat') { console.log('s1'); process.exit(0) }
const text = process.argv.at(-1)
if (process.argv.at(-2) !== '--') process.exit(4)
if (text === 'wait') setInterval(() => {}, 1000)
else if (text === 'die') { console.error('out of luck'); process.exit(3) }
else {
  say({ type: 'tool_call', subtype: 'started', call_id: 't1', tool_call: { shellToolCall: { args: { command: 'ls' } } } })
  say({ type: 'tool_call', subtype: 'completed', call_id: 't1', tool_call: { shellToolCall: { result: { out: 'a b' } } } })
  say({ type: 'assistant', message: { content: [{ type: 'text', text: 'done' }] } })
  say({ type: 'result', subtype: 'success', is_error: false })
}`

const programs: Record<HarnessKind, string> = {
  claude: streamJson,
  codex: appServer,
  cursor: perTurn,
  gemini: acp,
  goose: acp,
  kiro: acp,
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-harness-'))
  for (const kind of harnessKinds) {
    const file = join(folder, kind)
    await writeFile(file, `#!${process.execPath}\n${programs[kind]}`)
    await chmod(file, 0o755)
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** One session; `next` returns the events of its agent in order. */
const start = (kind: HarnessKind, resumeSessionId = '') => {
  const heard: Record<string, unknown>[] = []
  let wake = () => {}
  const put = (one: Record<string, unknown>): void => {
    heard.push(one)
    wake()
  }
  const driven: Driven = drivers[kind](
    { command: join(folder, kind), cwd: folder, env: { PATH: process.env.PATH ?? '' }, resumeSessionId },
    {
      opened: (id, resumed) => put({ type: 'opened', id, resumed }),
      event: (type, payload) => put({ type, ...payload }),
      closed: (error) => put({ type: 'closed', error }),
    },
  )
  const next = async (type: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const index = heard.findIndex((one) => one.type === type)
      const found = index < 0 ? undefined : heard.splice(0, index + 1).at(-1)
      if (found) return found
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { driven, next, heard }
}

it.each(harnessKinds.filter((kind) => kind !== 'cursor'))('[D18] %s is asked, answers, and obeys', async (kind) => {
  const { driven, next } = start(kind)
  const { id, resumed } = await next('opened')
  expect([typeof id, resumed]).toEqual(['string', false])
  for (const [decision, status] of [
    ['allow', 'completed'],
    ['deny', 'failed'],
  ] as const) {
    driven.prompt('go')
    expect(await next('tool.started')).toMatchObject({ tool_invocation_id: 't1', arguments: { command: 'ls' } })
    expect(await next('approval.required')).toMatchObject({ tool_invocation_id: 't1', reason: 'tool_approval' })
    driven.resolve('t1', decision, '')
    driven.resolve('t1', 'allow', '')
    expect(await next('tool.completed')).toMatchObject({ tool_invocation_id: 't1', status, result: 'a b' })
    expect(await next('content.delta')).toMatchObject({ kind: 'text', delta: 'done' })
    expect(await next('run.state_changed')).toMatchObject({ to_state: 'completed' })
  }
  driven.close()
  await next('closed')
})

it.each(harnessKinds)('%s resumes a session, is stopped, and ends', async (kind) => {
  const { driven, next, heard } = start(kind, 's0')
  expect(await next('opened')).toMatchObject({ id: 's0', resumed: true })
  driven.prompt('wait')
  driven.interrupt()
  expect(await next('run.state_changed')).toMatchObject({ to_state: 'canceled' })
  driven.prompt('die')
  const end = kind === 'cursor' ? await next('run.state_changed') : await next('closed')
  expect(String(end.error)).not.toBe('')
  expect(heard.some(({ delta }) => delta === 'said long ago')).toBe(false)
})

it('cursor runs one program per turn', async () => {
  const { driven, next } = start('cursor')
  expect(await next('opened')).toMatchObject({ id: 's1', resumed: false })
  driven.prompt('go')
  expect(await next('tool.started')).toMatchObject({ tool_name: 'shell', arguments: { command: 'ls' } })
  expect(await next('content.delta')).toMatchObject({ delta: 'done' })
  expect(await next('run.state_changed')).toMatchObject({ to_state: 'completed' })
})

it('a missing program ends the session with the reason', async () => {
  const { next } = start('codex')
  const missing = drivers.goose(
    { command: join(folder, 'none'), cwd: folder, env: {}, resumeSessionId: '' },
    { opened: () => {}, event: () => {}, closed: (error) => errors.push(error) },
  )
  const errors: string[] = []
  await next('opened')
  await expect.poll(() => errors[0] ?? '').toContain('ENOENT')
  missing.close()
})
