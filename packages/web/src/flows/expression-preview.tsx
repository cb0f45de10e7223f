// Evaluates an expression while it is typed, on the server, with the values of the latest run or with values entered
// here.
import type { Flow, FlowNode } from '@millrace/contract/flows'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { JsonField } from '../ui/json-field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { ProblemNote, Skeleton } from '../ui/page.tsx'
import { useSettled } from '../ui/use-settled.ts'
import { sampleInput } from './sample.ts'
import { strings } from './strings.ts'

const words = strings.preview

const noInput = {}

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
  const [typed, setTyped] = useState<unknown>(sample)
  const settled = useSettled(expression.trim())
  const input = useSettled(typed ?? noInput) as Record<string, unknown>
  return (
    <section aria-label={words.title} className="flex flex-col gap-2">
      <p className="text-[12px] text-faint">{words.inputIntro}</p>
      <JsonField isSample label={words.input} kind="object" value={typed} onChange={setTyped} />
      <p className="text-[12px] text-faint">{words.resultIntro}</p>
      <output className="block min-h-8">{settled === '' ? null : <Result expression={settled} input={input} />}</output>
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
