// The driver for the coding agent with threads and turns over JSON-RPC.
import { type Driver, type DriverEvents, endTurn, recordOf, textOf } from './driver.ts'
import { startRpc } from './json-rpc.ts'

const toolItems = ['commandExecution', 'fileChange', 'mcpToolCall', 'webSearch']

const emitItem = (events: DriverEvents, item: Record<string, unknown>, isDone: boolean): void => {
  const type = textOf(item.type)
  if (!toolItems.includes(type)) return
  const about = { tool_invocation_id: textOf(item.id), tool_name: textOf(item.tool) || type }
  if (!isDone) events.event('tool.started', { ...about, arguments: argumentsOf(item) })
  else
    events.event('tool.completed', {
      ...about,
      status: item.status === 'failed' || item.status === 'declined' ? 'failed' : 'completed',
      result: textOf(item.aggregatedOutput),
    })
}

const argumentsOf = ({ command, cwd, changes, arguments: given, query }: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries({ command, cwd, changes, query, ...recordOf(given) }).filter(([, value]) => value !== undefined),
  )

const endings: Readonly<Record<string, 'completed' | 'failed' | 'canceled'>> = {
  completed: 'completed',
  interrupted: 'canceled',
  failed: 'failed',
}

export const appServerDriver: Driver = (start, events) => {
  let threadId = ''
  let turnId = ''
  const questions = new Map<string, unknown>()

  const rpc = startRpc(start, ['app-server'], {
    notice: (method, params) => {
      if (method === 'item/agentMessage/delta')
        events.event('content.delta', { kind: 'text', delta: textOf(params.delta) })
      else if (method === 'item/reasoning/summaryTextDelta')
        events.event('content.delta', { kind: 'reasoning', delta: textOf(params.delta) })
      else if (method === 'item/started') emitItem(events, recordOf(params.item), false)
      else if (method === 'item/completed') emitItem(events, recordOf(params.item), true)
      else if (method === 'turn/completed') {
        const { status, error } = recordOf(params.turn)
        turnId = ''
        endTurn(events, endings[textOf(status)] ?? 'completed', textOf(recordOf(error).message))
      }
    },
    asked: (id, method, params) => {
      if (!method.endsWith('/requestApproval')) return false
      const requestId = textOf(params.itemId)
      questions.set(requestId, id)
      events.event('approval.required', {
        tool_invocation_id: requestId,
        tool_name: method.split('/')[1] ?? 'tool',
        arguments: argumentsOf(params),
        reason: 'tool_approval',
      })
      return true
    },
    ended: events.closed,
  })

  const open = async (): Promise<void> => {
    await rpc.request('initialize', { clientInfo: { name: 'millrace', title: 'Millrace', version: '1' } })
    rpc.notify('initialized', {})
    const isResumed = start.resumeSessionId !== ''
    const place = { cwd: start.cwd, approvalPolicy: 'on-request' }
    const { thread } = isResumed
      ? await rpc.request('thread/resume', { threadId: start.resumeSessionId, ...place })
      : await rpc.request('thread/start', place)
    threadId = textOf(recordOf(thread).id) || start.resumeSessionId
    events.opened(threadId, isResumed)
  }
  const opening = open()
  opening.catch((error: Error) => {
    events.closed(error.message)
    rpc.kill()
  })

  const begin = async (text: string): Promise<void> => {
    await opening
    const { turn } = await rpc.request('turn/start', { threadId, input: [{ type: 'text', text }] })
    turnId = textOf(recordOf(turn).id)
  }
  let beginning = Promise.resolve()
  return {
    prompt: (text) => {
      beginning = begin(text).catch((error: Error) => endTurn(events, 'failed', error.message))
    },
    // Only a started turn has an id.
    interrupt: () => void beginning.then(() => rpc.request('turn/interrupt', { threadId, turnId })).catch(() => {}),
    resolve: (requestId, decision) => {
      if (!questions.has(requestId)) return
      rpc.answer(questions.get(requestId), { decision: decision === 'allow' ? 'accept' : 'decline' })
      questions.delete(requestId)
    },
    close: rpc.kill,
  }
}
