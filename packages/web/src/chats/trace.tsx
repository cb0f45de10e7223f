// What happened in a chat: as bars over time, each step below the one that made it, or as a graph of what led to what.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { read } from '../api/queries.ts'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { StatusIcon, toneOfNode } from '../ui/status.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { durationText } from '../ui/time-text.ts'
import { nameOfStep, type Row, rowsOf } from './trace-rows.ts'

const TraceGraph = lazy(() => import('./trace-graph.tsx'))

const colours: Readonly<Record<string, string>> = {
  agent_runs: 'bg-accent',
  chat_messages: 'bg-line-strong',
  tool_invocations: 'bg-warn',
}

/** Pure: when the first step began, and when the last one ended or last changed. */
const spanOf = (rows: readonly Row[]): { begins: number; ends: number } => {
  const begins = Math.min(...rows.map(({ node }) => Date.parse(node.created_at)))
  return {
    begins,
    ends: Math.max(begins + 1, ...rows.map(({ node }) => Date.parse(node.completed_at ?? node.updated_at))),
  }
}

const Bars = ({ rows }: { rows: readonly Row[] }) => {
  const { begins, ends } = spanOf(rows)
  const share = (ms: number) => `${(100 * ms) / (ends - begins)}%`
  return (
    <ol className="flex flex-col gap-1">
      {rows.map(({ node, depth }) => (
        <li key={node.id} className="grid grid-cols-[200px_1fr_70px] items-center gap-2">
          <span className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: depth * 14 }}>
            <StatusIcon tone={toneOfNode(node.status)} className="size-3.5" />
            <span className="truncate">{nameOfStep(node)}</span>
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
  )
}

const views = ['Over time', 'As a graph'] as const

export const Trace = ({ chatId }: { chatId: string }) => {
  const [view, setView] = useState<(typeof views)[number]>('Over time')
  const trace = useQuery({ ...read('chats.trace', { path: { id: chatId } }), staleTime: 0 })
  if (trace.error) return <ProblemNote error={trace.error} />
  if (!trace.data) return <SkeletonRows />
  const rows = rowsOf(trace.data)
  const { begins, ends } = spanOf(rows)
  return (
    <div className="flex flex-col gap-1">
      <p className="mb-1 text-soft">
        {trace.data.total_steps} steps, {trace.data.failed_steps} failed, {durationText(ends - begins)} from the first
        to the last
      </p>
      <Tabs label="Ways to see it" tabs={views} value={view} onChange={setView} />
      {view === 'Over time' ? (
        <Bars rows={rows} />
      ) : (
        <div className="h-96">
          <Suspense fallback={<SkeletonRows />}>
            <TraceGraph trace={trace.data} />
          </Suspense>
        </div>
      )}
    </div>
  )
}
