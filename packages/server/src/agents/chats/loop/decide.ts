// The agent loop as a pure function: the state of a run and an event go in, the new state and the commands to execute
// come out. A run calls the model, makes the requested calls, and calls the model again until it requests none. Hooks
// can intervene at four events, and a call may need approval.
import type { HookEventName } from '@millrace/contract/agents'
import { type InvocationStatus, isInvocationOver, type RunState } from '@millrace/contract/chats'

export const turnLimit = 50
const maxLosses = 2

/**
 * starting, turn_starting: waits for hooks · thinking: waits for the model · compacting: the model compacts the
 * conversation · acting: calls are active · over.
 */
export type LoopPhase = 'starting' | 'turn_starting' | 'compacting' | 'thinking' | 'acting' | 'over'

/** `finish`: for a call that ends the run if it succeeds, the status it reports. */
export type CallState = {
  id: string
  status: InvocationStatus
  finish?: 'succeeded' | 'failed' | 'cancelled'
  /** Waits for the hooks on its result. */
  isEnding?: boolean
}

export type LoopState = {
  phase: LoopPhase
  turn: number
  /** How often the task of the current turn was lost with its worker. */
  lost: number
  calls: readonly CallState[]
}

/** The combined answer of the hooks on one event. */
export type HookAnswer = {
  decision: 'allow' | 'deny' | 'stop'
  reason?: string
  /** New arguments of a call, or a new result. */
  override?: unknown
}

export type CallEnd = { status: 'completed' | 'failed' | 'cancelled'; result?: string }

export type LoopEvent =
  | { type: 'begun' }
  | { type: 'hooks_answered'; event: HookEventName; callId?: string; answer: HookAnswer; ended?: CallEnd }
  /** The conversation exceeds the context window and is compacted before the model is called. */
  | { type: 'too_long' }
  | { type: 'compacted' }
  /** The tools of MCP servers are discovered as far as the servers answered; the model can be called. */
  | { type: 'tools_learned' }
  | { type: 'model_answered'; calls: readonly CallState[]; hasText: boolean }
  | { type: 'model_failed'; error: string; isLost: boolean }
  | { type: 'judged'; callId: string; decision: 'allow' | 'ask' | 'deny' }
  | { type: 'approved'; callId: string }
  /** The result of a call; hooks may still change it. */
  | { type: 'call_ended'; callId: string; ended: CallEnd }
  | { type: 'stopped' }

export type LoopCommand =
  | { do: 'hooks'; event: HookEventName; callId?: string; data?: Record<string, unknown>; ended?: CallEnd }
  /** Fires hooks without waiting for them. */
  | { do: 'notify'; event: HookEventName; data?: Record<string, unknown> }
  | { do: 'call_model' }
  | { do: 'judge'; callId: string; override?: unknown }
  | { do: 'ask'; callId: string }
  | { do: 'perform'; callId: string }
  | { do: 'settle'; callId: string; ended: CallEnd; override?: unknown }
  | { do: 'end'; state: RunState; error: string }

export type Decision = { state: LoopState; commands: readonly LoopCommand[] }

const stay = (state: LoopState): Decision => ({ state, commands: [] })

const end = (state: LoopState, runState: RunState, error = ''): Decision => ({
  state: { ...state, phase: 'over' },
  commands: [{ do: 'end', state: runState, error }],
})

const nextTurn = (state: LoopState): Decision => {
  if (state.turn >= turnLimit)
    return end(state, 'failed', `turn_limit: the model was called ${turnLimit} times without finishing`)
  return {
    state: { ...state, phase: 'turn_starting', calls: [] },
    commands: [{ do: 'hooks', event: 'agent.turn_start', data: { turn_index: state.turn } }],
  }
}

const setCall = (state: LoopState, id: string, status: InvocationStatus): LoopState => ({
  ...state,
  calls: state.calls.map((call) => (call.id === id ? { ...call, status } : call)),
})

const finishStates = { succeeded: 'completed', failed: 'failed', cancelled: 'canceled' } as const

/** When every call of a turn is over, the run ends with `finish` or calls the model again. */
const afterCall = (state: LoopState, before: readonly LoopCommand[] = []): Decision => {
  if (state.calls.some(({ status }) => !isInvocationOver(status))) return { state, commands: before }
  const finish = state.calls.find((call) => call.finish !== undefined && call.status === 'completed')?.finish
  const next = finish
    ? end(state, finishStates[finish], finish === 'succeeded' ? '' : `the agent finished with status ${finish}`)
    : nextTurn(state)
  return { state: next.state, commands: [...before, ...next.commands] }
}

const refusedBy = (reason: string | undefined): string => `rejected by a hook${reason ? `: ${reason}` : ''}`

const afterHooks = (state: LoopState, happened: Extract<LoopEvent, { type: 'hooks_answered' }>): Decision => {
  const { event, callId = '', answer, ended } = happened
  if (answer.decision === 'stop') return end(state, 'canceled', answer.reason ?? '')
  const isDenied = answer.decision === 'deny'
  if (event === 'agent.start' && state.phase === 'starting')
    return isDenied ? end(state, 'rejected', refusedBy(answer.reason)) : nextTurn(state)
  if (event === 'agent.turn_start' && state.phase === 'turn_starting') {
    if (isDenied) return end(state, 'failed', refusedBy(answer.reason))
    return { state: { ...state, phase: 'thinking', turn: state.turn + 1, lost: 0 }, commands: [{ do: 'call_model' }] }
  }
  const call = state.calls.find(({ id }) => id === callId)
  if (!call || state.phase !== 'acting' || isInvocationOver(call.status)) return stay(state)
  if (event === 'agent.tool_call') {
    if (isDenied) return settle(state, callId, { status: 'failed', result: refusedBy(answer.reason) })
    return { state, commands: [{ do: 'judge', callId, ...('override' in answer && { override: answer.override }) }] }
  }
  if (event === 'agent.tool_result' && ended) {
    if (isDenied) return settle(state, callId, { status: 'failed', result: refusedBy(answer.reason) })
    return settle(state, callId, ended, answer)
  }
  return stay(state)
}

const settle = (state: LoopState, callId: string, ended: CallEnd, answer?: HookAnswer): Decision =>
  afterCall(setCall(state, callId, ended.status), [
    { do: 'settle', callId, ended, ...(answer && 'override' in answer && { override: answer.override }) },
  ])

const afterModel = (state: LoopState, { calls, hasText }: Extract<LoopEvent, { type: 'model_answered' }>): Decision => {
  const completed: LoopCommand = {
    do: 'notify',
    event: 'agent.turn_complete',
    data: { tool_count: calls.length, has_output: hasText },
  }
  if (calls.length === 0) {
    const ended = end({ ...state, calls: [] }, 'completed')
    return { state: ended.state, commands: [completed, ...ended.commands] }
  }
  const acting: LoopState = { ...state, phase: 'acting', calls }
  const open = calls.filter(({ status }) => !isInvocationOver(status))
  const hookCommands = open.map(({ id }): LoopCommand => ({ do: 'hooks', event: 'agent.tool_call', callId: id }))
  // Calls with invalid arguments are already over.
  return open.length === 0 ? afterCall(acting, [completed]) : { state: acting, commands: [completed, ...hookCommands] }
}

const afterDecision = (state: LoopState, callId: string, decision: 'allow' | 'ask' | 'deny'): Decision => {
  const call = state.calls.find(({ id }) => id === callId)
  if (call?.status !== 'pending') return stay(state)
  if (decision === 'deny')
    return settle(state, callId, { status: 'failed', result: 'A rule denies this call. Do not try it again.' })
  if (decision === 'ask')
    return { state: setCall(state, callId, 'awaiting_approval'), commands: [{ do: 'ask', callId }] }
  return { state: setCall(state, callId, 'in_progress'), commands: [{ do: 'perform', callId }] }
}

export const decide = (state: LoopState, happened: LoopEvent): Decision => {
  if (state.phase === 'over') return stay(state)
  switch (happened.type) {
    case 'begun':
      return { state: { ...state, phase: 'starting' }, commands: [{ do: 'hooks', event: 'agent.start' }] }
    case 'hooks_answered':
      return afterHooks(state, happened)
    case 'too_long':
      return stay(state.phase === 'thinking' ? { ...state, phase: 'compacting' } : state)
    case 'compacted':
      return state.phase === 'compacting'
        ? { state: { ...state, phase: 'thinking', lost: 0 }, commands: [{ do: 'call_model' }] }
        : stay(state)
    case 'tools_learned':
      return state.phase === 'thinking' ? { state, commands: [{ do: 'call_model' }] } : stay(state)
    case 'model_answered':
      return state.phase === 'thinking' ? afterModel(state, happened) : stay(state)
    case 'model_failed': {
      if (state.phase !== 'thinking' && state.phase !== 'compacting') return stay(state)
      if (!happened.isLost || state.lost >= maxLosses) return end(state, 'failed', happened.error)
      return { state: { ...state, phase: 'thinking', lost: state.lost + 1 }, commands: [{ do: 'call_model' }] }
    }
    case 'judged':
      return afterDecision(state, happened.callId, happened.decision)
    case 'approved': {
      const call = state.calls.find(({ id }) => id === happened.callId)
      if (call?.status !== 'awaiting_approval') return stay(state)
      const commands: LoopCommand[] = [{ do: 'perform', callId: happened.callId }]
      return { state: setCall(state, happened.callId, 'in_progress'), commands }
    }
    case 'call_ended': {
      const call = state.calls.find(({ id }) => id === happened.callId)
      if (!call || isInvocationOver(call.status) || call.isEnding) return stay(state)
      const { callId, ended } = happened
      // A rejected call was not made, so there is no result for hooks.
      if (call.status === 'awaiting_approval') return settle(state, callId, ended)
      const next = call.status === 'awaiting_input' ? setCall(state, callId, 'in_progress') : state
      return { state: next, commands: [{ do: 'hooks', event: 'agent.tool_result', callId, ended }] }
    }
    case 'stopped':
      return end(state, 'canceled')
  }
}
