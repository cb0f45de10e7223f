// The flow in the editor: the stored flow, live changes of other members, and actions sent to the server.
import type { App } from '@millrace/contract/apps'
import type { Flow, FlowAction, FlowGraph } from '@millrace/contract/flows'
import { useQueries, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { refresh } from '../api/refresh.ts'
import { followStream } from '../api/stream.ts'
import { useSession } from '../shell/session.tsx'
import { notifyProblem, showNotice } from '../ui/notify.ts'
import type { Agent, GraphResources } from './graph-model.ts'
import { strings } from './strings.ts'

const words = strings.editor

export const useFlow = (id: string) => {
  const client = useQueryClient()
  const { me, team } = useSession()
  const query = read('flows.get', { path: { id } })
  const { data: flow } = useSuspenseQuery(query)
  const ownId = me.user.id
  const announceEditor = async (userId: string) => {
    const members = await client.ensureQueryData(read('members.list', { path: { id: team.id } })).catch(() => [])
    const user = members.find(({ user_id }) => user_id === userId)?.user
    const name = user?.full_name || user?.email || words.someone
    showNotice({ kind: 'message', words: words.changedBy(name), id: `edit ${userId}` })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id identifies the key of the query
  useEffect(
    () =>
      followStream('flows.stream', {
        path: { id },
        onEvent: ({ name, data }) => {
          if (name === 'update')
            client.setQueryData<Flow>(query.queryKey, (previous) => ({ ...previous, ...(data as Flow) }))
          if (name !== 'actions') return
          void refresh(client, { queryKey: query.queryKey })
          const { user_id } = data as { user_id: string }
          if (user_id !== ownId) void announceEditor(user_id)
        },
      }),
    [client, id, ownId],
  )

  /** Sends actions and reads the flow again. Rejected actions are shown as errors. */
  const act = async (...actions: FlowAction[]): Promise<boolean> => {
    try {
      const { errors } = await call('flows.act', { path: { id }, body: { actions } })
      for (const { message } of errors) showNotice({ kind: 'error', words: words.refused, description: message })
      await refresh(client, { queryKey: query.queryKey })
      return errors.length === 0
    } catch (error) {
      notifyProblem(error)
      return false
    }
  }
  return { flow, act }
}

export type Act = ReturnType<typeof useFlow>['act']

const staleMs = 300_000

const byId = <T extends { id: string }>(answers: readonly { data: T | undefined }[]): ReadonlyMap<string, T> =>
  new Map(answers.flatMap(({ data }) => (data ? [[data.id, data]] : [])))

const idsIn = (graphs: readonly (FlowGraph | null | undefined)[], key: 'app_id' | 'agent_id'): string[] => [
  ...new Set(graphs.flatMap((graph) => Object.values(graph?.node_data ?? {}).flatMap((data) => data[key] || []))),
]

/** The apps and agents that graphs refer to. The result is the same object as long as nothing in it changes. */
export const useKnown = (graphs: readonly (FlowGraph | null | undefined)[]): GraphResources => {
  const apps = useQueries({
    queries: idsIn(graphs, 'app_id').map((id) => ({ ...read('apps.get', { path: { id } }), staleTime: staleMs })),
    combine: byId<App>,
  })
  const agents = useQueries({
    queries: idsIn(graphs, 'agent_id').map((id) => ({ ...read('agents.get', { path: { id } }), staleTime: staleMs })),
    combine: byId<Agent>,
  })
  return useMemo(() => ({ apps, agents }), [apps, agents])
}
