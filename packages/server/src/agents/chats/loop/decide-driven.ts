// The loop of a run that a coding agent on somebody's machine drives: the agent calls its tools itself, so a call is only
// recorded, and a person's word about it is only passed on. Everything else is as for any run. Pure.
import { isInvocationOver } from '@millrace/contract/chats'
import { type Decision, decide, type Happened, type LoopState } from './decide.ts'

const setCall = (state: LoopState, id: string, status: LoopState['calls'][number]['status']): LoopState => ({
  ...state,
  calls: state.calls.map((call) => (call.id === id ? { ...call, status } : call)),
})

export const decideDriven = (state: LoopState, happened: Happened): Decision => {
  if (state.phase === 'over' || (happened.type !== 'approved' && happened.type !== 'call_ended'))
    return decide(state, happened)
  const call = state.calls.find(({ id }) => id === happened.callId)
  if (!call || isInvocationOver(call.status)) return { state, commands: [] }
  if (happened.type === 'call_ended') {
    const { callId, ended } = happened
    return { state: setCall(state, callId, ended.status), commands: [{ do: 'settle', callId, ended }] }
  }
  const isAsked = call.status === 'awaiting_approval'
  return { state: isAsked ? setCall(state, happened.callId, 'in_progress') : state, commands: [] }
}
