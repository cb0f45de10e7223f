// The workspace's own stream, followed once for the whole console: what changed lands in the cache.
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { patchCached } from '../api/live.ts'
import { followStream } from '../api/stream.ts'

type News = { id: string } | { data: { id: string }; fields: readonly string[] }

const rowOf = (news: News): { id: string } => ('fields' in news ? news.data : news)

/** Which queries hold rows of a table. */
const resources: Readonly<Record<string, string>> = { engines: 'engines', tasks: 'tasks', chats: 'chats' }

/** What follows from rows of a table, and is asked again when one changes. */
const counted: Readonly<Record<string, string>> = { chats: 'inbox', tasks: 'trigger_fires' }

/** A new row is news for lists; what is open has a stream of its own. */
const isList = ({ queryKey: [, name] }: { queryKey: QueryKey }): boolean =>
  name === undefined || String(name).endsWith('.list')

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
      for (const resource of stale) void client.invalidateQueries({ queryKey: [resource], predicate: isList })
      stale.clear()
    }
    const stop = followStream('events.stream', {
      onEvent: ({ name, data }) => {
        const resource = resources[name]
        if (resource === undefined) return
        const isShown = patchCached(client, resource, rowOf(data as News))
        const toAsk = [...(isShown ? [] : [resource]), ...(counted[name] === undefined ? [] : [counted[name]])]
        for (const each of toAsk) stale.add(each)
        if (toAsk.length > 0) timer ??= setTimeout(refresh, gatherMs)
      },
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, teamId])
}
