// What an expression gives, as it is typed: tried by the server, on the values of the newest run or on ones written here.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { CodeEditor } from '../ui/code.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { ProblemNote } from '../ui/page.tsx'
import { useSettled } from '../ui/use-settled.ts'

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

export const ExpressionPreview = ({ expression, sample }: { expression: string; sample: Record<string, unknown> }) => {
  const [text, setText] = useState(() => JSON.stringify(sample, null, 2))
  const settled = useSettled(expression.trim())
  const input = readObject(useSettled(text))
  return (
    <section aria-label="Preview" className="flex flex-col gap-2">
      <p className="text-[12px] text-faint">
        Tried on this <code>input</code>
      </p>
      <CodeEditor label="Input to try it on" value={text} onChange={setText} />
      <p className="text-[12px] text-faint">gives</p>
      <output className="block min-h-8">
        {input === undefined ? <p className="text-bad">The input must be a JSON object</p> : null}
        {settled !== '' && input !== undefined ? <Result expression={settled} input={input} /> : null}
      </output>
    </section>
  )
}
