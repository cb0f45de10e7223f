// The driver for the coding agent that exchanges lines of JSON during the whole session.
import { randomUUID } from 'node:crypto'
import { type Driver, type DriverEvents, endTurn, recordOf, startProgram, textOf } from './driver.ts'

const always = [
  '-p',
  '--verbose',
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--include-partial-messages',
  '--permission-prompt-tool',
  'stdio',
] as const

type Block = Record<string, unknown>

const blocksOf = (message: unknown): Block[] => {
  const { content } = recordOf(message)
  return Array.isArray(content) ? content.map(recordOf) : []
}

const resultText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (Array.isArray(content) ? content : []).map((one) => textOf(recordOf(one).text)).join('\n')

const emitDelta = (events: DriverEvents, event: Record<string, unknown>): void => {
  if (event.type !== 'content_block_delta') return
  const { type, text, thinking } = recordOf(event.delta)
  if (type === 'text_delta') events.event('content.delta', { kind: 'text', delta: textOf(text) })
  if (type === 'thinking_delta') events.event('content.delta', { kind: 'reasoning', delta: textOf(thinking) })
}

const emitToolCalls = (events: DriverEvents, message: unknown): void => {
  for (const block of blocksOf(message)) {
    if (block.type === 'tool_use')
      events.event('tool.started', {
        tool_invocation_id: textOf(block.id),
        tool_name: textOf(block.name),
        arguments: recordOf(block.input),
      })
    if (block.type === 'tool_result')
      events.event('tool.completed', {
        tool_invocation_id: textOf(block.tool_use_id),
        tool_name: '',
        status: block.is_error === true ? 'failed' : 'completed',
        result: resultText(block.content),
      })
  }
}

export const streamJsonDriver: Driver = (start, events) => {
  const isResumed = start.resumeSessionId !== ''
  const sessionId = isResumed ? start.resumeSessionId : randomUUID()
  let isInterrupted = false
  /** The agent's own id of each approval and its input, by the id that the server uses. */
  const questions = new Map<string, { id: string; input: Record<string, unknown> }>()

  const ask = (id: string, request: Record<string, unknown>): void => {
    const requestId = textOf(request.tool_use_id) || id
    const input = recordOf(request.input)
    questions.set(requestId, { id, input })
    events.event('approval.required', {
      tool_invocation_id: requestId,
      tool_name: textOf(request.tool_name),
      arguments: input,
      reason: 'tool_approval',
    })
  }
  const end = (line: Record<string, unknown>): void => {
    const usage = recordOf(line.usage)
    const [prompt, completion] = [Number(usage.input_tokens ?? 0), Number(usage.output_tokens ?? 0)]
    const tokens = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
    if (prompt + completion > 0) events.event('usage.updated', tokens)
    if (isInterrupted) endTurn(events, 'canceled')
    else if (line.is_error === true) endTurn(events, 'failed', textOf(line.result) || textOf(line.subtype))
    else endTurn(events, 'completed')
    isInterrupted = false
  }
  const program = startProgram(
    start,
    [...always, ...(isResumed ? ['--resume', sessionId] : ['--session-id', sessionId])],
    (line) => {
      if (line.type === 'stream_event') emitDelta(events, recordOf(line.event))
      else if (line.type === 'assistant' || line.type === 'user') emitToolCalls(events, line.message)
      else if (line.type === 'result') end(line)
      else if (line.type === 'control_request') {
        const request = recordOf(line.request)
        if (request.subtype === 'can_use_tool') ask(textOf(line.request_id), request)
      }
    },
    events.closed,
  )
  const respond = (id: string, response: object): void =>
    program.say({ type: 'control_response', response: { subtype: 'success', request_id: id, response } })
  events.opened(sessionId, isResumed)
  return {
    prompt: (text) => program.say({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } }),
    interrupt: () => {
      isInterrupted = true
      program.say({ type: 'control_request', request_id: randomUUID(), request: { subtype: 'interrupt' } })
    },
    resolve: (requestId, decision, reason) => {
      const question = questions.get(requestId)
      if (!question) return
      questions.delete(requestId)
      if (decision === 'allow') respond(question.id, { behavior: 'allow', updatedInput: question.input })
      else respond(question.id, { behavior: 'deny', message: reason || 'A person rejected this call.' })
    },
    close: program.kill,
  }
}
