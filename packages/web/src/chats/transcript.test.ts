// Guarantees: a chat shows every message once and in order, for every order of events.
import type { ChatMessage } from '@millrace/contract/chats'
import { describe, expect, it } from 'vitest'
import { addDelta, mergeMessage, noDraft, type Pages, transcriptOf, upsert } from './transcript.ts'

const message = (id: string, order: number, more: Partial<ChatMessage> = {}): ChatMessage =>
  ({ id, order, role: 'user', status: 'ready', content: [], tool_invocations: [], ...more }) as ChatMessage

const pagesOf = (...items: ChatMessage[]): Pages => ({
  pages: [
    {
      items,
      next_cursor: '',
      prev_cursor: '',
      has_next: false,
      has_previous: false,
      items_per_page: 50,
      total_items: items.length,
    },
  ],
  pageParams: [''],
})

const ids = (pages: Pages | undefined) => transcriptOf(pages).map(({ id }) => id)

describe('the transcript', () => {
  it('is oldest first, with queued messages at the end', () => {
    expect(ids(pagesOf(message('q', 0, { status: 'queued' }), message('b', 2), message('a', 1)))).toEqual([
      'a',
      'b',
      'q',
    ])
  })
  it('leaves out tool results and canceled messages', () => {
    expect(
      ids(pagesOf(message('a', 1), message('t', 2, { role: 'tool' }), message('c', 3, { status: 'cancelled' }))),
    ).toEqual(['a'])
  })
  it('adds a new message and replaces a known one', () => {
    const once = upsert(pagesOf(message('a', 1)), message('b', 2))
    expect(ids(upsert(once, message('b', 2, { status: 'failed' })))).toEqual(['a', 'b'])
  })
  it('merges a partial change into a known message and ignores one of an unknown message', () => {
    const before = pagesOf(message('a', 1))
    expect(transcriptOf(mergeMessage(before, { data: { id: 'a', status: 'failed' }, fields: ['status'] }))).toEqual([
      message('a', 1, { status: 'failed' }),
    ])
    expect(mergeMessage(before, { data: { id: 'x', status: 'failed' }, fields: ['status'] })).toBe(before)
  })
  it('shows a stopped answer with its text, but no canceled message of a person', () => {
    const said = { content: [{ type: 'text' as const, text: 'The first half' }] }
    const cached = [
      message('a', 1, { ...said, role: 'user', status: 'cancelled' }),
      message('b', 2, { ...said, role: 'assistant', status: 'cancelled' }),
      message('c', 3, { content: [], role: 'assistant', status: 'cancelled' }),
    ].reduce<ReturnType<typeof pagesOf> | undefined>(upsert, pagesOf())
    expect(ids(cached)).toEqual(['b'])
  })
  it('accumulates the streamed text', () => {
    const said = [
      { reasoning: 'hm' },
      { response: 'Gr' },
      { response: 'ist', tool_calls: [{ function: { name: 'mill' } }] },
    ]
    const deltas = said.map((delta, index) => ({ delta, seq: index + 1 }))
    expect(deltas.reduce(addDelta, noDraft)).toEqual({ text: 'Grist', reasoning: 'hm', calls: ['mill'], seq: 3 })
  })
  it('marks text that was missed during a reconnect', () => {
    const deltas = [1, 2, 6].map((seq) => ({ delta: { response: `${seq} ` }, seq }))
    expect(deltas.reduce(addDelta, noDraft).text).toBe('1 2 … 6 ')
  })
})
