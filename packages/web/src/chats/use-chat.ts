// One chat, live: the chat and its messages in the query cache, written by the chat's stream; the model's words as they
// come.
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
/** The model says many short things a second; they are shown together. */
const gatherMs = 50

type DeltaNews = { delta: object; resource_id: string }

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
  const { [id]: _gone, ...rest } = drafts
  return rest
}

/** Begins when the messages are there: the stream's first words repeat those of the run that is going on. */
const useChatStream = (id: string, enabled: boolean): { drafts: Drafts; state: StreamState } => {
  const client = useQueryClient()
  const [drafts, setDrafts] = useState<Drafts>({})
  const [state, setState] = useState<StreamState>('connecting')
  useEffect(() => {
    if (!enabled) return
    let heard: DeltaNews[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let wasLive = false
    const show = () => {
      const said = heard
      heard = []
      timer = undefined
      setDrafts((held) => {
        const sum: Record<string, Draft> = { ...held }
        for (const { delta, resource_id } of said) sum[resource_id] = addDelta(sum[resource_id] ?? noDraft, delta)
        return sum
      })
    }
    const stop = followStream('chats.stream', {
      path: { id },
      onState: (next) => {
        setState(next)
        // What happened while nobody listened is asked for.
        if (next === 'live' && wasLive) void refresh(client, { queryKey: messagesKey(id) })
        wasLive ||= next === 'live'
      },
      onEvent: ({ name, data }) => {
        if (name === 'delta') {
          heard.push(data as DeltaNews)
          timer ??= setTimeout(show, gatherMs)
        } else if (name === 'chats') {
          client.setQueryData(read('chats.get', { path: { id } }).queryKey, data as Chat)
        } else if (name === 'chat_messages') {
          client.setQueryData<InfiniteData<Page<ChatMessage>>>(messagesKey(id), (held) => mergeMessage(held, data))
          const { id: messageId, status } = data as ChatMessage
          if (status === 'pending') return
          heard = heard.filter(({ resource_id }) => resource_id !== messageId)
          setDrafts((held) => without(held, messageId))
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
