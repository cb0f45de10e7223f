// Which nodes of a run wait for an approval: their chat, or the chat of a sub-agent, has a pending one. Pure.
import type { Chat } from '@millrace/contract/chats'
import type { FlowRun } from '@millrace/contract/flow-runs'
import { strings } from './strings.ts'

/** The status of a node that waits for an approval. */
export const needsApproval = strings.editor.needsApproval

type Asking = Pick<Chat, 'id' | 'parent_id'>

export const withApprovals = (
  { node_statuses = {}, node_tasks }: Pick<FlowRun, 'node_statuses' | 'node_tasks'>,
  asking: readonly Asking[],
): Record<string, string> => {
  const chats = new Set(asking.flatMap(({ id, parent_id }) => [id, parent_id]))
  return Object.fromEntries(
    Object.entries(node_statuses).map(([id, status]) => {
      const { chat_id } = node_tasks[id] ?? {}
      return [id, status === 'running' && chat_id && chats.has(chat_id) ? needsApproval : status]
    }),
  )
}
