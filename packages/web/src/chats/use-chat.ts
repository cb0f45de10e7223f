// One chat, updated live: its stream writes the chat and its messages into the query cache, and collects streamed text.
import type { Chat, ChatMessage } from '@millrace/contract/chats'
import type { Page } from '@millrace/contract/common'
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { refresh } from '../api/refresh.ts'
import { followStream, type StreamState } from '../api/stream.ts'
import { addDelta, type Draft, type Drafts, mergeMessage, noDraft, transcriptOf } from './transcript.ts'

const pageSize = 50
/** Streamed tokens are shown in batches. */
const batchMs = 50

type DeltaEvent = { delta: object; seq: number; resource_id: string }

const messagesKey = (id: string) => ['chats', 'chats.messages', id]

const useMessages = (id: string) =>
  useInfiniteQuery({
    queryKey: messagesKey(id),
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) =>
      (await call(
        'chats.messages',
        { path: { id }, body: { limit: pageSize, ...(pageParam === '' ? {} : { cursor: pageParam }) } },
        { signal },
      )) as Page<ChatMessage>,
    getNextPageParam: (page) => (page.has_next ? page.next_cursor : undefined),
  })

const without = (drafts: Drafts, id: string): Drafts => {
  if (!(id in drafts)) return drafts
  const { [id]: _removed, ...rest } = drafts
  return rest
}

/** Starts when the messages are loaded, because the stream first repeats the output of the current turn. */
const useChatStream = (id: string, enabled: boolean): { drafts: Drafts; state: StreamState } => {
  const client = useQueryClient()
  const [drafts, setDrafts] = useState<Drafts>({})
  const [state, setState] = useState<StreamState>('connecting')
  useEffect(() => {
    if (!enabled) return
    let pending: DeltaEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let wasLive = false
    const show = () => {
      const deltas = pending
      pending = []
      timer = undefined
      setDrafts((drafts) => {
        const sum: Record<string, Draft> = { ...drafts }
        for (const event of deltas) sum[event.resource_id] = addDelta(sum[event.resource_id] ?? noDraft, event)
        return sum
      })
    }
    const stop = followStream('chats.stream', {
      path: { id },
      onState: (next) => {
        setState(next)
        // Loads the messages that were missed while the stream was disconnected.
        if (next === 'live' && wasLive) void refresh(client, { queryKey: messagesKey(id) })
        wasLive ||= next === 'live'
      },
      onEvent: ({ name, data }) => {
        if (name === 'delta') {
          pending.push(data as DeltaEvent)
          timer ??= setTimeout(show, batchMs)
        } else if (name === 'chats') {
          client.setQueryData(read('chats.get', { path: { id } }).queryKey, data as Chat)
        } else if (name === 'chat_messages') {
          client.setQueryData<InfiniteData<Page<ChatMessage>>>(messagesKey(id), (cached) => mergeMessage(cached, data))
          const { id: messageId, status } = data as ChatMessage
          if (status === 'pending') return
          pending = pending.filter(({ resource_id }) => resource_id !== messageId)
          setDrafts((drafts) => without(drafts, messageId))
        }
      },
    })
    return () => {
      stop()
      clearTimeout(timer)
      setDrafts({})
    }
  }, [client, id, enabled])
  return { drafts, state }
}

export const useChat = (id: string) => {
  const chat = useQuery(read('chats.get', { path: { id } }))
  const messages = useMessages(id)
  const { drafts, state } = useChatStream(id, messages.isSuccess)
  const transcript = useMemo(() => transcriptOf(messages.data), [messages.data])
  return {
    chat: chat.data,
    error: chat.error ?? messages.error,
    isLoading: messages.isPending,
    transcript,
    drafts,
    state,
    older: messages.hasNextPage && !messages.isFetchingNextPage ? () => void messages.fetchNextPage() : null,
  }
}

export type LiveChat = ReturnType<typeof useChat>
