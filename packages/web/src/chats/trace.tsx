// What happened in a chat as bars over time, each step below the one that made it.
import type { ChatTrace, TraceNode } from '@millrace/contract/chat-trace'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { StatusIcon, toneOfNode } from '../ui/status.tsx'
import { durationText } from '../ui/time-text.ts'

type Row = { node: TraceNode; depth: number }

/** Pure: every step once, below its parent, in the order they began. */
const rowsOf = ({ nodes, edges }: ChatTrace): Row[] => {
  const parents = new Map(edges.map(({ from_node, to_node }) => [to_node, from_node]))
  const ordered = [...nodes].sort((a, b) => a.created_at.localeCompare(b.created_at))
  const below = (parent: string | undefined, depth: number): Row[] =>
    ordered
      .filter(({ id }) => parents.get(id) === parent)
      .flatMap((node) => [{ node, depth }, ...below(node.id, depth + 1)])
  return below(undefined, 0)
}

const colours: Readonly<Record<string, string>> = {
  agent_runs: 'bg-accent',
  chat_messages: 'bg-line-strong',
  tool_invocations: 'bg-warn',
}

const names: Readonly<Record<string, string>> = { assistant: 'model', user: 'message' }

export const Trace = ({ chatId }: { chatId: string }) => {
  const trace = useQuery({ ...read('chats.trace', { path: { id: chatId } }), staleTime: 0 })
  if (trace.error) return <ProblemNote error={trace.error} />
  if (!trace.data) return <SkeletonRows />
  const rows = rowsOf(trace.data)
  const begins = Math.min(...rows.map(({ node }) => Date.parse(node.created_at)))
  const ends = Math.max(begins + 1, ...rows.map(({ node }) => Date.parse(node.completed_at ?? node.updated_at)))
  const share = (ms: number) => `${(100 * ms) / (ends - begins)}%`
  return (
    <div className="flex flex-col gap-1">
      <p className="mb-1 text-soft">
        {trace.data.total_steps} steps, {trace.data.failed_steps} failed, {durationText(ends - begins)} from the first
        to the last
      </p>
      <ol className="flex flex-col gap-1">
        {rows.map(({ node, depth }) => (
          <li key={node.id} className="grid grid-cols-[200px_1fr_70px] items-center gap-2">
            <span className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: depth * 14 }}>
              <StatusIcon tone={toneOfNode(node.status)} className="size-3.5" />
              <span className="truncate">{names[node.label] ?? node.label}</span>
            </span>
            <span className="relative h-3 rounded bg-hover" aria-hidden>
              <span
                className={`absolute h-3 min-w-0.5 rounded ${colours[node.resource_type] ?? 'bg-line-strong'}`}
                style={{
                  left: share(Date.parse(node.created_at) - begins),
                  width: share(node.duration_ms ?? ends - Date.parse(node.created_at)),
                }}
              />
            </span>
            <span className="figures text-right text-faint">
              {node.duration_ms === undefined ? '…' : durationText(node.duration_ms)}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}
