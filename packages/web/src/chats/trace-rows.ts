// The steps of a chat in the order in which they are read. Pure.
import type { ChatTrace, TraceNode } from '@millrace/contract/chat-trace'

export type Row = { node: TraceNode; depth: number }

/** Every step once, below its parent, in the order they began. */
export const rowsOf = ({ nodes, edges }: ChatTrace): Row[] => {
  const parents = new Map(edges.map(({ from_node, to_node }) => [to_node, from_node]))
  const ordered = [...nodes].sort((a, b) => a.created_at.localeCompare(b.created_at))
  const below = (parent: string | undefined, depth: number): Row[] =>
    ordered
      .filter(({ id }) => parents.get(id) === parent)
      .flatMap((node) => [{ node, depth }, ...below(node.id, depth + 1)])
  return below(undefined, 0)
}

const names: Readonly<Record<string, string>> = { assistant: 'model', user: 'message' }

export const nameOfStep = ({ label }: TraceNode): string => names[label] ?? label
