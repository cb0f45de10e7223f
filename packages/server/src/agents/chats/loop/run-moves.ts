// State transitions of a run. Pure.
import type { RunState } from '@millrace/contract/chats'

const live: readonly RunState[] = ['working', 'failed', 'canceled']

const moves: Readonly<Record<RunState, readonly RunState[]>> = {
  submitted: [...live, 'completed', 'rejected'],
  working: ['input_required', 'auth_required', 'completed', 'failed', 'canceled', 'rejected'],
  input_required: live,
  auth_required: live,
  completed: [],
  failed: [],
  canceled: [],
  rejected: [],
}

/** The states from `from` to `to`, including `to`; without a direct transition the run passes through working. */
export const statesTo = (from: RunState, to: RunState): RunState[] =>
  moves[from].includes(to) ? [to] : ['working', to]
