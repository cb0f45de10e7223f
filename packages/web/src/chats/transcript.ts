// The messages of a chat in order, and the streamed text of the newest one. Pure.
import type { ChatMessage } from '@millrace/contract/chats'
import type { Page } from '@millrace/contract/common'
import { addInOrder } from '../api/delta-order.ts'

export type Pages = { pages: Page<ChatMessage>[]; pageParams: unknown[] }

/** Streamed output of the model that is not a message yet. */
export type Draft = { text: string; reasoning: string; calls: readonly string[]; seq: number }
export type Drafts = Readonly<Record<string, Draft>>

export const noDraft: Draft = { text: '', reasoning: '', calls: [], seq: 0 }

type Delta = {
  response?: unknown
  reasoning?: unknown
  tool_calls?: readonly { function?: { name?: string } }[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const addDelta = (draft: Draft, { delta, seq }: { delta: Delta; seq: number }): Draft => {
  const { response, reasoning, tool_calls = [] } = delta
  const textAfter = (text: string, gap: string, added: string): string => (added === '' ? text : text + gap + added)
  return addInOrder(draft, seq, {
    empty: noDraft,
    add: (base, gap) => ({
      text: textAfter(base.text, gap, textOf(response)),
      reasoning: textAfter(base.reasoning, gap, textOf(reasoning)),
      calls: [...base.calls, ...tool_calls.flatMap(({ function: called }) => called?.name || [])],
      seq,
    }),
  })
}

/** Replaces a known message, or adds a new one to the newest page. */
export const upsert = (cached: Pages | undefined, message: ChatMessage): Pages | undefined => {
  if (!cached) return cached
  const isKnown = cached.pages.some(({ items }) => items.some(({ id }) => id === message.id))
  const pages = cached.pages.map((page, index) => {
    if (!isKnown) return index === 0 ? { ...page, items: [message, ...page.items] } : page
    return { ...page, items: page.items.map((item) => (item.id === message.id ? message : item)) }
  })
  return { ...cached, pages }
}

/** Some events contain the changed fields only. */
export const mergeMessage = (cached: Pages | undefined, change: unknown): Pages | undefined => {
  const { data, fields } = change as { data?: Partial<ChatMessage>; fields?: unknown }
  if (!Array.isArray(fields)) return upsert(cached, change as ChatMessage)
  const known = cached?.pages.flatMap(({ items }) => items).find(({ id }) => id === data?.id)
  return known ? upsert(cached, { ...known, ...data }) : cached
}

/** A stopped answer keeps its text; a canceled message of a person is not shown. */
const isStoppedAnswer = (role: string, content: readonly unknown[]): boolean =>
  role === 'assistant' && content.length > 0

/** Oldest first, queued messages last. Tool results are shown with their calls. */
export const transcriptOf = (cached: Pages | undefined): ChatMessage[] =>
  (cached?.pages ?? [])
    .flatMap(({ items }) => items)
    .filter(
      ({ role, status, content }) => role !== 'tool' && (status !== 'cancelled' || isStoppedAnswer(role, content)),
    )
    .sort((a, b) => Number(a.status === 'queued') - Number(b.status === 'queued') || a.order - b.order)
