// The workspace's own stream, followed once for the whole console: what changed lands in the cache.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { patchCached } from '../api/live.ts'
import { followStream } from '../api/stream.ts'

type News = { id: string } | { data: { id: string }; fields: readonly string[] }

const rowOf = (news: News): { id: string } => ('fields' in news ? news.data : news)

/** Which queries hold rows of a table. */
const resources: Readonly<Record<string, string>> = { engines: 'engines', tasks: 'tasks', flow_runs: 'flow_runs' }

/** Many rows can be new at once; the lists are asked again once for all of them. */
const gatherMs = 300

export const useWorkspaceNews = (teamId: string): void => {
  const client = useQueryClient()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace is another stream
  useEffect(() => {
    const stale = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer = undefined
      for (const resource of stale) void client.invalidateQueries({ queryKey: [resource] })
      stale.clear()
    }
    const stop = followStream('events.stream', {
      onEvent: ({ name, data }) => {
        const resource = resources[name]
        if (resource === undefined || patchCached(client, resource, rowOf(data as News))) return
        stale.add(resource)
        timer ??= setTimeout(refresh, gatherMs)
      },
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, teamId])
}
