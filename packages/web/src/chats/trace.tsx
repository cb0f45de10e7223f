// What happened in a chat: as bars over time, each step below the one that made it, or as a graph of what led to what.
import type { ChatTrace } from '@millrace/contract/chat-trace'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { read } from '../api/queries.ts'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { durationText } from '../ui/time-text.ts'
import { StepIcon, StepTook } from './trace-look.tsx'
import { nameOfStep, type Row, rowsOf } from './trace-rows.ts'
import { StepDetails } from './trace-step.tsx'

const TraceGraph = lazy(() => import('./trace-graph.tsx'))

const colours: Readonly<Record<string, string>> = {
  agent_runs: 'bg-accent',
  chat_messages: 'bg-line-strong',
  tool_invocations: 'bg-warn',
}

type Scale = { begins: number; ends: number }

/** Pure: when the first step began, and when the last one ended or last changed. */
const spanOf = (rows: readonly Row[]): Scale => {
  const begins = Math.min(...rows.map(({ node }) => Date.parse(node.created_at)))
  return {
    begins,
    ends: Math.max(begins + 1, ...rows.map(({ node }) => Date.parse(node.completed_at ?? node.updated_at))),
  }
}

const Bar = ({ node, begins, ends }: { node: Row['node'] } & Scale) => {
  const share = (ms: number) => `${(100 * ms) / (ends - begins)}%`
  return (
    <span className="relative h-3 rounded bg-hover" aria-hidden>
      <span
        className={`absolute h-3 min-w-0.5 rounded ${colours[node.resource_type] ?? 'bg-line-strong'}`}
        style={{
          left: share(Date.parse(node.created_at) - begins),
          width: share(node.duration_ms ?? ends - Date.parse(node.created_at)),
        }}
      />
    </span>
  )
}

const BarRow = ({ row: { node, depth, parent }, ...scale }: { row: Row } & Scale) => {
  const [open, setOpen] = useState(false)
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        className="grid w-full grid-cols-[200px_1fr_70px] items-center gap-2 rounded text-left hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <span className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: depth * 14 }}>
          <StepIcon step={node} />
          <span className="truncate">{nameOfStep(node)}</span>
        </span>
        <Bar node={node} {...scale} />
        <span className="figures text-right text-faint">
          <StepTook step={node} />
        </span>
      </button>
      {open ? <StepDetails step={node} parent={parent} /> : null}
    </li>
  )
}

const Bars = ({ rows }: { rows: readonly Row[] }) => {
  const scale = spanOf(rows)
  return (
    <ol className="flex flex-col gap-1">
      {rows.map((row) => (
        <BarRow key={row.node.id} row={row} {...scale} />
      ))}
    </ol>
  )
}

const GraphView = ({ trace, rows }: { trace: ChatTrace; rows: readonly Row[] }) => {
  const [chosen, setChosen] = useState<string>()
  const row = rows.find(({ node }) => node.id === chosen)
  return (
    <>
      <div className="h-96">
        <Suspense fallback={<SkeletonRows />}>
          <TraceGraph trace={trace} onChoose={setChosen} />
        </Suspense>
      </div>
      {row ? (
        <section aria-label={`Step ${nameOfStep(row.node)}`}>
          <StepDetails key={chosen} step={row.node} parent={row.parent} />
        </section>
      ) : (
        <p className="text-faint">Click a step to see what it was given and what came out.</p>
      )}
    </>
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
      {view === 'Over time' ? <Bars rows={rows} /> : <GraphView trace={trace.data} rows={rows} />}
    </div>
  )
}
