// The loop of a run by a coding agent on a machine. The agent calls its tools itself, so calls are only recorded and
// approvals are only forwarded. The rest is the same as in any run. Pure.
import { isInvocationOver } from '@millrace/contract/chats'
import { type Decision, decide, type LoopEvent, type LoopState } from './decide.ts'

const setCall = (state: LoopState, id: string, status: LoopState['calls'][number]['status']): LoopState => ({
  ...state,
  calls: state.calls.map((call) => (call.id === id ? { ...call, status } : call)),
})

export const decideDriven = (state: LoopState, happened: LoopEvent): Decision => {
  if (state.phase === 'over' || (happened.type !== 'approved' && happened.type !== 'call_ended'))
    return decide(state, happened)
  const call = state.calls.find(({ id }) => id === happened.callId)
  if (!call || isInvocationOver(call.status)) return { state, commands: [] }
  if (happened.type === 'call_ended') {
    const { callId, ended } = happened
    return { state: setCall(state, callId, ended.status), commands: [{ do: 'settle', callId, ended }] }
  }
  const needsApproval = call.status === 'awaiting_approval'
  return { state: needsApproval ? setCall(state, happened.callId, 'in_progress') : state, commands: [] }
}
