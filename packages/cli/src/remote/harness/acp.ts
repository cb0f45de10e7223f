// The driver for coding agents with the Agent Client Protocol.
import { type Decision, type Driver, type DriverEvents, endTurn, recordOf, textOf } from './driver.ts'
import { startRpc } from './json-rpc.ts'

type Option = { optionId?: unknown; kind?: unknown }

/** The option of the agent that matches the decision, for one call if possible. */
const optionFor = (options: unknown, decision: Decision): string | undefined => {
  const kinds = decision === 'allow' ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  const offered = (Array.isArray(options) ? options : []) as Option[]
  for (const kind of kinds) {
    const found = offered.find((option) => option.kind === kind)
    if (found) return textOf(found.optionId)
  }
  return undefined
}

const words = (content: unknown): string => {
  if (Array.isArray(content)) return content.map(words).join('\n')
  const { type, text, content: inner } = recordOf(content)
  return type === 'text' ? textOf(text) : inner === undefined ? '' : words(inner)
}

const emitUpdate = (events: DriverEvents, update: Record<string, unknown>): void => {
  const id = textOf(update.toolCallId)
  const name = textOf(update.title) || textOf(update.kind) || 'tool'
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      events.event('content.delta', { kind: 'text', delta: words(update.content) })
      return
    case 'agent_thought_chunk':
      events.event('content.delta', { kind: 'reasoning', delta: words(update.content) })
      return
    case 'tool_call':
      events.event('tool.started', {
        tool_invocation_id: id,
        tool_name: name,
        arguments: recordOf(update.rawInput),
      })
      break
    case 'tool_call_update':
      break
    default:
      return
  }
  if (update.status === 'completed' || update.status === 'failed')
    events.event('tool.completed', {
      tool_invocation_id: id,
      tool_name: name,
      status: update.status,
      result: words(update.content),
    })
}

export const acpDriver =
  (args: readonly string[]): Driver =>
  (start, events) => {
    let sessionId = ''
    let isTurn = false
    let isLoading = false
    const questions = new Map<string, { id: unknown; options: unknown }>()

    const answer = (requestId: string, decision: Decision | null): void => {
      const question = questions.get(requestId)
      if (!question) return
      questions.delete(requestId)
      const optionId = decision && optionFor(question.options, decision)
      const outcome = optionId ? { outcome: 'selected', optionId } : { outcome: 'cancelled' }
      rpc.answer(question.id, { outcome })
    }
    const rpc = startRpc(start, args, {
      notice: (method, params) => {
        // A loaded session repeats its history.
        if (method === 'session/update' && !isLoading) emitUpdate(events, recordOf(params.update))
      },
      asked: (id, method, { toolCall, options }) => {
        if (method !== 'session/request_permission') return false
        const { toolCallId, title, kind, rawInput } = recordOf(toolCall)
        const requestId = textOf(toolCallId)
        questions.set(requestId, { id, options })
        events.event('approval.required', {
          tool_invocation_id: requestId,
          tool_name: textOf(title) || textOf(kind) || 'tool',
          arguments: recordOf(rawInput),
          reason: 'tool_approval',
        })
        return true
      },
      ended: events.closed,
    })

    const open = async (): Promise<void> => {
      const { agentCapabilities } = await rpc.request('initialize', {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      })
      const place = { cwd: start.cwd, mcpServers: [] }
      const canLoad = start.resumeSessionId !== '' && recordOf(agentCapabilities).loadSession === true
      isLoading = canLoad
      if (canLoad) await rpc.request('session/load', { sessionId: start.resumeSessionId, ...place })
      isLoading = false
      sessionId = canLoad ? start.resumeSessionId : textOf((await rpc.request('session/new', place)).sessionId)
      events.opened(sessionId, canLoad)
    }
    const opening = open()
    opening.catch((error: Error) => {
      events.closed(error.message)
      rpc.kill()
    })

    const turn = async (text: string): Promise<void> => {
      await opening
      const prompt = [{ type: 'text', text }]
      const { stopReason } = await rpc.request('session/prompt', { sessionId, prompt }).finally(() => {
        // Reset before the end is reported, because the listener may send the next prompt at once.
        isTurn = false
      })
      endTurn(events, stopReason === 'cancelled' ? 'canceled' : stopReason === 'refusal' ? 'failed' : 'completed')
    }
    return {
      prompt: (text) => {
        if (isTurn) return
        isTurn = true
        turn(text).catch((error: Error) => endTurn(events, 'failed', error.message))
      },
      interrupt: () => {
        for (const requestId of questions.keys()) answer(requestId, null)
        // Sent after the prompt, which also waits for the session.
        void opening.then(() => rpc.notify('session/cancel', { sessionId })).catch(() => {})
      },
      resolve: answer,
      close: rpc.kill,
    }
  }
