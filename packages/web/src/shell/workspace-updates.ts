// The stream of the workspace, followed once for the whole console; changes go into the cache.
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { patchCached } from '../api/live.ts'
import { refresh } from '../api/refresh.ts'
import type { ServerEvent } from '../api/sse.ts'
import { followStream, type StreamState } from '../api/stream.ts'

type Update = { id: string } | { data: { id: string }; fields: readonly string[] }

const rowOf = (update: Update): { id: string } => ('fields' in update ? update.data : update)

/** The queries that contain rows of a table. */
const resources: Readonly<Record<string, string>> = { engines: 'engines', tasks: 'tasks', chats: 'chats' }

/** Queries that depend on rows of a table and are refetched when one changes. */
const dependentQueries: Readonly<Record<string, readonly string[]>> = {
  agents: ['agents'],
  apps: ['apps'],
  artifacts: ['artifacts'],
  chats: ['inbox'],
  flows: ['flows'],
  knowledge: ['knowledge', 'skills'],
  secrets: ['secrets'],
  triggers: ['triggers', 'trigger_fires'],
}

type QueryRef = { queryKey: QueryKey }

/** An open resource of these has no stream of its own. */
const withoutStream: ReadonlySet<unknown> = new Set(['triggers'])

/** A new row affects lists only; an open resource has its own stream. */
const isList = ({ queryKey: [resource, name] }: QueryRef): boolean =>
  name === undefined || String(name).endsWith('.list') || withoutStream.has(resource)

/** Lists that a run enters or leaves when its status changes. */
const isByStatus = ({ queryKey: [, name, input] }: QueryRef): boolean =>
  name === 'tasks.counts' || (name === 'tasks.list' && JSON.stringify(input).includes('"field":"status"'))

/** Many rows can arrive at once; the lists are refetched once for all of them. */
const gatherMs = 300
/** The same for queries that every step of every run changes. */
const gatherStatusMs = 3_000

/**
 * Runs the work once for all events within this time and never twice at a time, because a new request would cancel the
 * previous one.
 */
const gather = (withinMs: number, work: () => Promise<unknown>) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRequested = false
  let isStopped = false
  const begin = () => {
    timer = setTimeout(async () => {
      isRequested = false
      await work()
      timer = undefined
      if (isRequested && !isStopped) begin()
    }, withinMs)
  }
  return {
    request: () => {
      isRequested = true
      if (timer === undefined) begin()
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** All queries that the stream keeps fresh. */
const freshQueries = new Set([...Object.values(resources), ...Object.values(dependentQueries).flat()])
const isFresh = (query: QueryRef): boolean =>
  freshQueries.has(String(query.queryKey[0])) && (isList(query) || isByStatus(query))

type Changes = { update: (event: ServerEvent) => void; missed: () => void; stop: () => void }

/** Events update the cache or cause a refetch. */
const changesOf = (client: QueryClient): Changes => {
  const stale = new Set<string>()
  const lists = gather(gatherMs, () => {
    const names = [...stale]
    stale.clear()
    return Promise.all(names.map((each) => refresh(client, { queryKey: [each], predicate: isList })))
  })
  const statuses = gather(gatherStatusMs, () => refresh(client, { queryKey: ['tasks'], predicate: isByStatus }))
  return {
    update: ({ name, data }) => {
      const resource = resources[name]
      const isNew = resource !== undefined && !patchCached(client, resource, rowOf(data as Update))
      const affected = [...(isNew ? [resource] : []), ...(dependentQueries[name] ?? [])]
      for (const each of affected) stale.add(each)
      if (affected.length > 0) lists.request()
      if (resource === 'tasks') statuses.request()
    },
    missed: () => void refresh(client, { predicate: isFresh }),
    stop: () => {
      lists.stop()
      statuses.stop()
    },
  }
}

/** Follows until the returned function is called. After a reconnect, missed changes are refetched. */
export const followUpdates = (client: QueryClient, onState: (state: StreamState) => void): (() => void) => {
  const changes = changesOf(client)
  let wasLive = false
  const stop = followStream('events.stream', {
    onEvent: changes.update,
    onState: (state) => {
      onState(state)
      if (state !== 'live') return
      if (wasLive) changes.missed()
      wasLive = true
    },
  })
  return () => {
    stop()
    changes.stop()
  }
}

/** A reconnect within this time needs no refetch. */
const missedAfterMs = 3_000

/** Whether the page is kept fresh: interrupted (`waiting`) or not any more (`ended`). */
export const useWorkspaceUpdates = (teamId: string): 'live' | 'waiting' | 'ended' => {
  const client = useQueryClient()
  const [shown, setShown] = useState<'live' | 'waiting' | 'ended'>('live')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace is another stream
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = followUpdates(client, (state) => {
      if (state === 'live' || state === 'ended') {
        clearTimeout(timer)
        timer = undefined
        setShown(state)
      } else timer ??= setTimeout(() => setShown('waiting'), missedAfterMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, teamId])
  return shown
}
