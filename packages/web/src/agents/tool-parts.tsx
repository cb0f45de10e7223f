// What a tool is by its type: an app, another agent, a tool of a server, one that is built in, or one of the calling program.
import type { Tool } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { CodeEditor } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { partOf, toolName, withPart } from './config.ts'
import { AgentPicker, AppPicker, ServerPicker } from './pickers.tsx'

export type ToolEdit = { tool: Tool; taken: readonly string[]; onChange: (tool: Tool) => void }

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A tool that nobody has described yet takes the name and the words of what it is. */
const described = ({ tool, taken }: ToolEdit, found: { name: string; description: string } | undefined) =>
  found && !tool.description ? { name: toolName(found.name, taken), description: found.description } : {}

export const AppPart = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  return (
    <AppPicker
      label="App"
      value={text(partOf(tool).ref)}
      onChoose={(ref, app) => onChange({ ...withPart(tool, { ref }), ...described(edit, app) })}
    />
  )
}

export const AgentPart = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  return (
    <AgentPicker
      label="Agent"
      value={text(partOf(tool).ref)}
      onChoose={(ref, agent) => {
        const found = agent && { name: agent.name, description: agent.version?.description || agent.title }
        onChange({ ...withPart(tool, { ref }), ...described(edit, found) })
      }}
    />
  )
}

export const SchemaPart = ({ tool, onChange }: ToolEdit) => {
  const [written, setWritten] = useState(() => JSON.stringify(partOf(tool).input_schema ?? {}, null, 2))
  const [fault, setFault] = useState(false)
  const change = (next: string) => {
    setWritten(next)
    try {
      onChange(withPart(tool, { input_schema: JSON.parse(next) }))
      setFault(false)
    } catch {
      setFault(true)
    }
  }
  return (
    <div>
      <p className="mb-1 font-medium">Arguments, as JSON Schema</p>
      <CodeEditor label={`Arguments of ${tool.name}`} value={written} onChange={change} />
      {fault ? <p className="text-[12px] text-bad">This is not JSON yet; the last readable form counts.</p> : null}
    </div>
  )
}

/** The tools of a server are asked of it; one that does not answer, or not to everybody, leaves the name to be typed. */
const McpTool = (edit: ToolEdit & { slug: string }) => {
  const { tool, onChange, slug } = edit
  const tools = useQuery({ ...read('mcps.tools', { path: { slug } }), enabled: slug !== '', retry: false })
  const chosen = text(partOf(tool).tool_name)
  const choose = (name: string) => {
    const found = tools.data?.find((one) => one.name === name)
    onChange({ ...withPart(tool, { tool_name: name }), ...described(edit, found) })
  }
  if (!tools.data)
    return (
      <TextField
        label="Its tool"
        required
        value={chosen}
        help={tools.isFetching ? 'Its tools are being asked for …' : tools.error?.message}
        onChange={(event) => choose(event.target.value)}
      />
    )
  return (
    <SelectField label="Its tool" required value={chosen} onChange={(event) => choose(event.target.value)}>
      <option value="">Choose a tool</option>
      {chosen === '' || tools.data.some(({ name }) => name === chosen) ? null : <option>{chosen}</option>}
      {tools.data.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  )
}

export const McpPart = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  const slug = text(partOf(tool).server)
  return (
    <>
      <ServerPicker
        label="Server"
        value={slug}
        onChoose={(server) => onChange(withPart(tool, { server, tool_name: '' }))}
      />
      <McpTool {...edit} slug={slug} />
    </>
  )
}

/** One of the tools that are built in, under a name and with words of its own. */
export const InternalPart = ({ tool, taken, onChange }: ToolEdit) => {
  const { data: categories = [] } = useQuery({ ...read('agents.internal_tools'), staleTime: 300_000 })
  const operation = text(partOf(tool).operation)
  const choose = (next: string) => {
    const category = categories.find(({ tools }) => tools.includes(next))
    onChange({
      ...withPart(tool, { category: category?.id ?? '', operation: next }),
      ...(tool.description || next === ''
        ? {}
        : { name: toolName(next, taken), description: category?.description ?? '' }),
    })
  }
  return (
    <SelectField label="Built in" required value={operation} onChange={(event) => choose(event.target.value)}>
      <option value="">Choose a tool</option>
      {categories.map(({ id, name, tools }) => (
        <optgroup key={id} label={name}>
          {tools.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </optgroup>
      ))}
    </SelectField>
  )
}
