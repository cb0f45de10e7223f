// What a chat shows: messages in their order, and over the newest what the model is saying right now. Pure.
import type { ChatMessage } from '@millrace/contract/chats'
import type { Page } from '@millrace/contract/common'

export type Pages = { pages: Page<ChatMessage>[]; pageParams: unknown[] }

/** The model's words before they are a message. */
export type Draft = { text: string; reasoning: string; calls: readonly string[] }
export type Drafts = Readonly<Record<string, Draft>>

export const noDraft: Draft = { text: '', reasoning: '', calls: [] }

type Delta = {
  response?: unknown
  reasoning?: unknown
  tool_calls?: readonly { function?: { name?: string } }[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const addDelta = (draft: Draft, { response, reasoning, tool_calls = [] }: Delta): Draft => ({
  text: draft.text + textOf(response),
  reasoning: draft.reasoning + textOf(reasoning),
  calls: [...draft.calls, ...tool_calls.flatMap(({ function: called }) => called?.name || [])],
})

/** The message in place of what was known of it; a new one on the newest page. */
export const upsert = (held: Pages | undefined, message: ChatMessage): Pages | undefined => {
  if (!held) return held
  const isKnown = held.pages.some(({ items }) => items.some(({ id }) => id === message.id))
  const pages = held.pages.map((page, index) => {
    if (!isKnown) return index === 0 ? { ...page, items: [message, ...page.items] } : page
    return { ...page, items: page.items.map((item) => (item.id === message.id ? message : item)) }
  })
  return { ...held, pages }
}

/** Some changes of a message come with the changed fields only. */
export const mergeMessage = (held: Pages | undefined, change: unknown): Pages | undefined => {
  const { data, fields } = change as { data?: Partial<ChatMessage>; fields?: unknown }
  if (!Array.isArray(fields)) return upsert(held, change as ChatMessage)
  const known = held?.pages.flatMap(({ items }) => items).find(({ id }) => id === data?.id)
  return known ? upsert(held, { ...known, ...data }) : held
}

/** Oldest first; what waits for its turn comes last, and results of tools are shown with their calls. */
export const transcriptOf = (held: Pages | undefined): ChatMessage[] =>
  (held?.pages ?? [])
    .flatMap(({ items }) => items)
    .filter(({ role, status }) => role !== 'tool' && status !== 'cancelled')
    .sort((a, b) => Number(a.status === 'queued') - Number(b.status === 'queued') || a.order - b.order)
