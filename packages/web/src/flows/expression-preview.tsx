// Evaluates an expression while it is typed, on the server, with the values of the latest run or with values entered
// here.
import type { Flow, FlowNode } from '@millrace/contract/flows'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { CodeEditor } from '../ui/code.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { ProblemNote, Skeleton } from '../ui/page.tsx'
import { useSettled } from '../ui/use-settled.ts'
import { sampleInput } from './sample.ts'
import { strings } from './strings.ts'

const words = strings.preview

const readObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const Result = ({ expression, input }: { expression: string; input: Record<string, unknown> }) => {
  const { data, error } = useQuery({
    queryKey: ['flows', 'flows.evaluate', expression, input],
    queryFn: ({ signal }) => call('flows.evaluate', { body: { expression, input } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error) return <ProblemNote error={error} />
  if (!data) return <p className="text-faint">…</p>
  if (data.error !== undefined) return <p className="rounded-md bg-bad-soft px-2 py-1 text-bad">{data.error}</p>
  return <JsonView value={data.value ?? null} />
}

const ExpressionPreview = ({ expression, sample }: { expression: string; sample: Record<string, unknown> }) => {
  const [text, setText] = useState(() => JSON.stringify(sample, null, 2))
  const settled = useSettled(expression.trim())
  const input = readObject(useSettled(text))
  return (
    <section aria-label={words.title} className="flex flex-col gap-2">
      <p className="text-[12px] text-faint">{words.inputIntro}</p>
      <CodeEditor label={words.input} value={text} onChange={setText} />
      <p className="text-[12px] text-faint">{words.resultIntro}</p>
      <output className="block min-h-8">
        {input === undefined ? <p className="text-bad">{words.notAnObject}</p> : null}
        {settled !== '' && input !== undefined ? <Result expression={settled} input={input} /> : null}
      </output>
    </section>
  )
}

/** Uses the values of the latest run once they are loaded. Without a run, the fields have no values. */
export const NodePreview = ({ flow, node, expression }: { flow: Flow; node: FlowNode; expression: string }) => {
  const newest = useList('flow_runs.list', {
    limit: 1,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [{ field: 'flow_id', operator: 'eq', value: flow.id }],
  })
  const id = newest.items[0]?.id
  const run = useQuery({ ...read('flow_runs.get', { path: { id: id ?? '' } }), enabled: id !== undefined })
  if (newest.isLoading || (id !== undefined && run.isPending)) return <Skeleton className="h-24" />
  return <ExpressionPreview expression={expression} sample={sampleInput(flow, node.id, run.data)} />
}
