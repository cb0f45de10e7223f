// Everything that waits for a person: chats that ask, those of sub-agents too.
import type { Chat } from '@millrace/contract/chats'
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
