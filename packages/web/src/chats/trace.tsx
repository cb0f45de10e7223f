// The trace of a chat: its steps as a timeline, each below its parent, or as a graph.
import type { ChatTrace } from '@millrace/contract/chat-trace'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { read } from '../api/queries.ts'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { durationText } from '../ui/time-text.ts'
import { strings } from './strings.ts'
import { StepDuration, StepIcon } from './trace-icon.tsx'
import { nameOfStep, type Row, rowsOf } from './trace-rows.ts'
import { StepDetails } from './trace-step.tsx'

const TraceGraph = lazy(() => import('./trace-graph.tsx'))

const words = strings.trace

const colors: Readonly<Record<string, string>> = {
  agent_runs: 'bg-accent',
  chat_messages: 'bg-line-strong',
  tool_invocations: 'bg-warn',
}

type TimeSpan = { startMs: number; endMs: number }

/** From the start of the first step to the end or last change of the last one. Pure. */
const spanOf = (rows: readonly Row[]): TimeSpan => {
  const startMs = Math.min(...rows.map(({ node }) => Date.parse(node.created_at)))
  return {
    startMs,
    endMs: Math.max(startMs + 1, ...rows.map(({ node }) => Date.parse(node.completed_at ?? node.updated_at))),
  }
}

const Bar = ({ node, startMs, endMs }: { node: Row['node'] } & TimeSpan) => {
  const share = (ms: number) => `${(100 * ms) / (endMs - startMs)}%`
  return (
    <span className="relative h-3 rounded bg-hover" aria-hidden>
      <span
        className={`absolute h-3 min-w-0.5 rounded ${colors[node.resource_type] ?? 'bg-line-strong'}`}
        style={{
          left: share(Date.parse(node.created_at) - startMs),
          width: share(node.duration_ms ?? endMs - Date.parse(node.created_at)),
        }}
      />
    </span>
  )
}

const BarRow = ({ row: { node, depth, parent }, ...span }: { row: Row } & TimeSpan) => {
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
        <Bar node={node} {...span} />
        <span className="figures text-right text-faint">
          <StepDuration step={node} />
        </span>
      </button>
      {open ? <StepDetails step={node} parent={parent} /> : null}
    </li>
  )
}

const Bars = ({ rows }: { rows: readonly Row[] }) => {
  const span = spanOf(rows)
  return (
    <ol className="flex flex-col gap-1">
      {rows.map((row) => (
        <BarRow key={row.node.id} row={row} {...span} />
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
          <TraceGraph trace={trace} onSelect={setChosen} />
        </Suspense>
      </div>
      {row ? (
        <section aria-label={words.step(nameOfStep(row.node))}>
          <StepDetails key={chosen} step={row.node} parent={row.parent} />
        </section>
      ) : (
        <p className="text-faint">{words.chooseStep}</p>
      )}
    </>
  )
}

const views = [words.timeline, words.graph] as const

export const Trace = ({ chatId }: { chatId: string }) => {
  const [view, setView] = useState<(typeof views)[number]>(words.timeline)
  const trace = useQuery({ ...read('chats.trace', { path: { id: chatId } }), staleTime: 0 })
  if (trace.error) return <ProblemNote error={trace.error} />
  if (!trace.data) return <SkeletonRows />
  const rows = rowsOf(trace.data)
  const { startMs, endMs } = spanOf(rows)
  return (
    <div className="flex flex-col gap-1">
      <p className="mb-1 text-soft">
        {words.summary(trace.data.total_steps, trace.data.failed_steps, durationText(endMs - startMs))}
      </p>
      <Tabs label={words.view} tabs={views} value={view} onChange={setView} />
      {view === words.timeline ? <Bars rows={rows} /> : <GraphView trace={trace.data} rows={rows} />}
    </div>
  )
}
