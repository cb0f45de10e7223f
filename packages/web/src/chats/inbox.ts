// Everything that waits for a person: chats that ask, those of sub-agents too.
import type { Chat, ChatMessage, Interrupt, ToolInvocation } from '@millrace/contract/chats'
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { FlowRun } from '@millrace/contract/flow-runs'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

const mostChats = 100
/** News of chats comes with the workspace's stream; this is for what it may have missed. */
const askAgainMs = 60_000

const waiting = { field: 'status', operator: 'eq', value: 'awaiting_input' }

const asking = async (parent: 'is_null' | 'is_not_null', signal: AbortSignal): Promise<Chat[]> => {
  const body = { limit: mostChats, preloads: ['agent'], filters: [waiting, { field: 'parent_id', operator: parent }] }
  const { items } = await call('chats.list', { body }, { signal })
  return items as Chat[]
}

export const useInbox = () =>
  useQuery({
    queryKey: ['inbox'],
    queryFn: async ({ signal }) =>
      (await Promise.all([asking('is_null', signal), asking('is_not_null', signal)]))
        .flat()
        .filter(({ pending_interrupts }) => pending_interrupts.length > 0),
    refetchInterval: askAgainMs,
  })

export const useInboxCount = (): number =>
  (useInbox().data ?? []).reduce((sum, { pending_interrupts }) => sum + pending_interrupts.length, 0)

/** The run of a flow that waits for a chat, and the step it waits in. */
export type Behind = { flowId: string; runId: string; nodeId: string }

/** Pure: which chats are steps of these runs. */
export const flowsBehind = (runs: readonly Pick<FlowRun, 'id' | 'flow_id' | 'node_tasks'>[]): Map<string, Behind> =>
  new Map(
    runs.flatMap(({ id, flow_id, node_tasks }) =>
      Object.entries(node_tasks).flatMap(([nodeId, { chat_id }]): [string, Behind][] =>
        chat_id ? [[chat_id, { flowId: flow_id, runId: id, nodeId }]] : [],
      ),
    ),
  )

/** Each of them is asked for: only a run by itself says which chats its steps are. */
const mostRuns = 20

/** A chat does not say which flow it is a step of; the newest runs that are going on know their chats. */
export const useFlowsBehind = (enabled: boolean): ReadonlyMap<string, Behind> | undefined =>
  useQuery({
    queryKey: ['inbox', 'flows behind'],
    enabled,
    queryFn: async ({ signal }) => {
      const filters = [{ field: 'status', operator: 'eq', value: flowRunStatus.running }]
      const sort = [{ field: 'created_at', dir: 'desc' as const }]
      const { items } = await call('flow_runs.list', { body: { limit: mostRuns, filters, sort } }, { signal })
      const get = ({ id = '' }: Partial<FlowRun>) => call('flow_runs.get', { path: { id } }, { signal })
      return flowsBehind(await Promise.all(items.map(get)))
    },
  }).data

/** The call that an interrupt is about, with the form it shows. */
export const useAskedCall = ({ chat_id, run_id, resource_id }: Interrupt) =>
  useQuery({
    queryKey: ['inbox', 'call', resource_id],
    queryFn: async ({ signal }): Promise<ToolInvocation | null> => {
      const filters = [{ field: 'agent_run_id', operator: 'eq', value: run_id }]
      const { items } = await call('chats.messages', { path: { id: chat_id }, body: { filters } }, { signal })
      const calls = (items as ChatMessage[]).flatMap(({ tool_invocations }) => tool_invocations)
      return calls.find(({ id }) => id === resource_id) ?? null
    },
  })
