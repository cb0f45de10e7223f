// Which steps of a run wait for a person: those whose chat, or a chat of a sub-agent of it, asks something. Pure.
import type { Chat } from '@millrace/contract/chats'
import type { FlowRun } from '@millrace/contract/flow-runs'

export const asks = 'waiting for you'

type Asking = Pick<Chat, 'id' | 'parent_id'>

export const withAsking = (
  { node_statuses = {}, node_tasks }: Pick<FlowRun, 'node_statuses' | 'node_tasks'>,
  asking: readonly Asking[],
): Record<string, string> => {
  const chats = new Set(asking.flatMap(({ id, parent_id }) => [id, parent_id]))
  return Object.fromEntries(
    Object.entries(node_statuses).map(([id, status]) => {
      const { chat_id } = node_tasks[id] ?? {}
      return [id, status === 'running' && chat_id && chats.has(chat_id) ? asks : status]
    }),
  )
}
