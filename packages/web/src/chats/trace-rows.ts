// The steps of a chat in the order in which they are read. Pure.
import type { ChatTrace, TraceNode } from '@millrace/contract/chat-trace'
import type { ContentItem } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'

export type Row = { node: TraceNode; depth: number; parent: string | undefined }

/** Every step once, below its parent, in the order they began. */
export const rowsOf = ({ nodes, edges }: Pick<ChatTrace, 'nodes' | 'edges'>): Row[] => {
  const parents = new Map(edges.map(({ from_node, to_node }) => [to_node, from_node]))
  const ordered = [...nodes].sort((a, b) => a.created_at.localeCompare(b.created_at))
  const below = (parent: string | undefined, depth: number): Row[] =>
    ordered
      .filter(({ id }) => parents.get(id) === parent)
      .flatMap((node) => [{ node, depth, parent }, ...below(node.id, depth + 1)])
  return below(undefined, 0)
}

const names: Readonly<Record<string, string>> = { assistant: 'model', user: 'message' }

export const nameOfStep = ({ label }: TraceNode): string => names[label] ?? label

/** The trace counts what waits for a person as running; what it waits in stands beside. */
const waitsIn = ['awaiting_approval', 'awaiting_input', 'input_required', 'auth_required']

export const waitsForPerson = ({ type, status, metadata }: TraceNode): boolean =>
  status === 'running' &&
  (type === 'approval' || (isRecord(metadata) && waitsIn.includes(String(metadata.state ?? ''))))

/** What a message says: plain where it is only words, otherwise each part of it. */
export const wordsOf = (content: readonly ContentItem[]): unknown =>
  content.every(({ type }) => type === 'text') ? content.map(({ text }) => text ?? '').join('\n') : content
