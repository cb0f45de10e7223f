// The steps of a chat as rows in display order. Pure.
import type { ChatTrace, TraceNode } from '@millrace/contract/chat-trace'
import type { ContentItem } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { strings } from './strings.ts'

export type Row = { node: TraceNode; depth: number; parent: string | undefined }

/** Every step once, below its parent, sorted by start time. */
export const rowsOf = ({ nodes, edges }: Pick<ChatTrace, 'nodes' | 'edges'>): Row[] => {
  const parents = new Map(edges.map(({ from_node, to_node }) => [to_node, from_node]))
  const ordered = [...nodes].sort((a, b) => a.created_at.localeCompare(b.created_at))
  const childrenOf = (parent: string | undefined, depth: number): Row[] =>
    ordered
      .filter(({ id }) => parents.get(id) === parent)
      .flatMap((node) => [{ node, depth, parent }, ...childrenOf(node.id, depth + 1)])
  return childrenOf(undefined, 0)
}

export const nameOfStep = ({ label }: TraceNode): string => strings.trace.names[label] ?? label

/** In these states a step waits for a person, although its status is `running`. */
const waitingStates = ['awaiting_approval', 'awaiting_input', 'input_required', 'auth_required']

export const waitsForPerson = ({ type, status, metadata }: TraceNode): boolean =>
  status === 'running' &&
  (type === 'approval' || (isRecord(metadata) && waitingStates.includes(String(metadata.state ?? ''))))

/** The text of a message if it contains text only, otherwise its parts. */
export const contentOf = (content: readonly ContentItem[]): unknown =>
  content.every(({ type }) => type === 'text') ? content.map(({ text }) => text ?? '').join('\n') : content
