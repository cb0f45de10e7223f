// Tries one tool of a server: a form from its schema, and the result. The server may request more input first.
import type { McpCallResult, McpTool } from '@millrace/contract/mcp-servers'
import { useMemo, useState } from 'react'
import { call } from '../api/call.ts'
import { type Fault, faultsOf } from '../forms/faults.ts'
import { firstValue, type Schema, simplify } from '../forms/schema.ts'
import { ObjectFields } from '../forms/schema-form.tsx'
import { useAct } from '../ui/act.ts'
import { Form } from '../ui/form.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'

const Answer = ({
  result: { blocks = [], output, is_error, input_required, input_requests },
}: {
  result: McpCallResult
}) => (
  <Panel title="Result" actions={is_error ? <Badge tone="bad">The tool failed</Badge> : <Badge tone="ok">Done</Badge>}>
    <div className="flex flex-col gap-2">
      {input_required ? (
        <>
          <p className="text-soft">The server requests input first; an agent would show this in its chat:</p>
          <JsonView value={input_requests ?? {}} />
        </>
      ) : null}
      {blocks.map((block, index) =>
        block.type === 'text' ? (
          <pre key={`block-${index + 1}`} className="whitespace-pre-wrap break-words font-mono text-[12px] leading-5">
            {block.text}
          </pre>
        ) : block.type === 'image' && block.data ? (
          <img key={`block-${index + 1}`} alt="Tool result" src={`data:${block.mimeType};base64,${block.data}`} />
        ) : (
          <JsonView key={`block-${index + 1}`} value={block} />
        ),
      )}
      {blocks.length === 0 && output !== undefined ? <JsonView value={output} /> : null}
    </div>
  </Panel>
)

export const ToolCall = ({ slug, tool }: { slug: string; tool: McpTool }) => {
  const schema = tool.inputSchema as Schema
  const shown = useMemo(() => simplify(schema, schema), [schema])
  const [input, setInput] = useState(() => (firstValue(schema, schema) ?? {}) as Record<string, unknown>)
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const ask = useAct({
    work: () => call('mcps.call_tool', { path: { slug, tool: tool.name }, body: { arguments: input } }),
    quiet: true,
  })
  const submit = () => {
    const found = faultsOf(schema, input, schema)
    setFaults(found)
    if (found.length === 0) ask.mutate()
  }
  return (
    <div className="flex flex-col gap-4">
      <Panel title={tool.title || tool.name}>
        <Form act={ask} submit="Call tool" onSubmit={submit}>
          <p className="whitespace-pre-line text-soft">{tool.description}</p>
          <ObjectFields
            schema={shown}
            root={schema}
            path=""
            value={input}
            faults={faults}
            onChange={(next) => setInput((next ?? {}) as typeof input)}
          />
        </Form>
      </Panel>
      {ask.data ? <Answer result={ask.data} /> : null}
    </div>
  )
}
