// Chats with pending requests to a person, including the chats of sub-agents.
import type { Chat, ChatMessage, Interrupt, ToolInvocation } from '@millrace/contract/chats'
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { FlowRun } from '@millrace/contract/flow-runs'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

const maxChats = 100
/** The stream of the workspace updates the inbox; polling covers events that it missed. */
const pollMs = 60_000

const awaitingInput = { field: 'status', operator: 'eq', value: 'awaiting_input' }

const listPending = async (parent: 'is_null' | 'is_not_null', signal: AbortSignal): Promise<Chat[]> => {
  const body = {
    limit: maxChats,
    preloads: ['agent'],
    filters: [awaitingInput, { field: 'parent_id', operator: parent }],
  }
  const { items } = await call('chats.list', { body }, { signal })
  return items as Chat[]
}

export const useInbox = () =>
  useQuery({
    queryKey: ['inbox'],
    queryFn: async ({ signal }) =>
      (await Promise.all([listPending('is_null', signal), listPending('is_not_null', signal)]))
        .flat()
        .filter(({ pending_interrupts }) => pending_interrupts.length > 0),
    refetchInterval: pollMs,
  })

export const useInboxCount = (): number =>
  (useInbox().data ?? []).reduce((sum, { pending_interrupts }) => sum + pending_interrupts.length, 0)

/** The node of a flow run that waits for a chat. */
export type FlowNode = { flowId: string; runId: string; nodeId: string }

/** The nodes of these runs by the ID of their chat. Pure. */
export const flowNodesByChat = (
  runs: readonly Pick<FlowRun, 'id' | 'flow_id' | 'node_tasks'>[],
): Map<string, FlowNode> =>
  new Map(
    runs.flatMap(({ id, flow_id, node_tasks }) =>
      Object.entries(node_tasks).flatMap(([nodeId, { chat_id }]): [string, FlowNode][] =>
        chat_id ? [[chat_id, { flowId: flow_id, runId: id, nodeId }]] : [],
      ),
    ),
  )

/** Each run is loaded: the list does not contain the chats of the nodes. */
const maxRuns = 20

/** A chat does not name its flow, so the newest active flow runs are searched for its chats. */
export const useFlowNodes = (enabled: boolean): ReadonlyMap<string, FlowNode> | undefined =>
  useQuery({
    queryKey: ['inbox', 'flow nodes'],
    enabled,
    queryFn: async ({ signal }) => {
      const filters = [{ field: 'status', operator: 'eq', value: flowRunStatus.running }]
      const sort = [{ field: 'created_at', dir: 'desc' as const }]
      const { items } = await call('flow_runs.list', { body: { limit: maxRuns, filters, sort } }, { signal })
      const get = ({ id = '' }: Partial<FlowRun>) => call('flow_runs.get', { path: { id } }, { signal })
      return flowNodesByChat(await Promise.all(items.map(get)))
    },
  }).data

/** The tool call of an interrupt. */
export const useToolCall = ({ chat_id, run_id, resource_id }: Interrupt) =>
  useQuery({
    queryKey: ['inbox', 'call', resource_id],
    queryFn: async ({ signal }): Promise<ToolInvocation | null> => {
      const filters = [{ field: 'agent_run_id', operator: 'eq', value: run_id }]
      const { items } = await call('chats.messages', { path: { id: chat_id }, body: { filters } }, { signal })
      const calls = (items as ChatMessage[]).flatMap(({ tool_invocations }) => tool_invocations)
      return calls.find(({ id }) => id === resource_id) ?? null
    },
  })
