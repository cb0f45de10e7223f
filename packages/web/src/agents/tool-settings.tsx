// The settings of a tool by its type: app, agent, MCP tool, built-in tool, client tool.
import type { Tool } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { JsonField } from '../ui/json-field.tsx'
import { settingsOf, toolName, withSettings } from './config.ts'
import { AgentPicker, AppPicker, ServerPicker } from './pickers.tsx'
import { strings } from './strings.ts'

const words = strings.tools

export type ToolEdit = { tool: Tool; taken: readonly string[]; onChange: (tool: Tool) => void }

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A tool without a description takes the name and description of its target. */
const describedBy = ({ tool, taken }: ToolEdit, found: { name: string; description: string } | undefined) =>
  found && !tool.description ? { name: toolName(found.name, taken), description: found.description } : {}

export const AppSettings = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  return (
    <AppPicker
      label={words.app}
      value={text(settingsOf(tool).ref)}
      onChoose={(ref, app) => onChange({ ...withSettings(tool, { ref }), ...describedBy(edit, app) })}
    />
  )
}

export const AgentSettings = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  return (
    <AgentPicker
      label={words.agent}
      value={text(settingsOf(tool).ref)}
      onChoose={(ref, agent) => {
        const found = agent && { name: agent.name, description: agent.version?.description || agent.title }
        onChange({ ...withSettings(tool, { ref }), ...describedBy(edit, found) })
      }}
    />
  )
}

export const SchemaSettings = ({ tool, onChange }: ToolEdit) => (
  <div>
    <p className="mb-1 font-medium">{words.inputSchema}</p>
    <JsonField
      label={words.inputSchemaOf(tool.name)}
      kind="object"
      value={settingsOf(tool).input_schema}
      onChange={(schema) => onChange(withSettings(tool, { input_schema: schema ?? {} }))}
    />
  </div>
)

/** Lists the tools of the server. If the server does not answer, the name is typed. */
const McpTool = (edit: ToolEdit & { slug: string }) => {
  const { tool, onChange, slug } = edit
  const tools = useQuery({ ...read('mcps.tools', { path: { slug } }), enabled: slug !== '', retry: false })
  const chosen = text(settingsOf(tool).tool_name)
  const choose = (name: string) => {
    const found = tools.data?.find((one) => one.name === name)
    onChange({ ...withSettings(tool, { tool_name: name }), ...describedBy(edit, found) })
  }
  if (!tools.data)
    return (
      <TextField
        label={words.serverTool}
        required
        value={chosen}
        help={tools.isFetching ? words.loadingTools : tools.error?.message}
        onChange={(event) => choose(event.target.value)}
      />
    )
  return (
    <SelectField label={words.serverTool} required value={chosen} onChange={(event) => choose(event.target.value)}>
      <option value="">{words.chooseTool}</option>
      {chosen === '' || tools.data.some(({ name }) => name === chosen) ? null : <option>{chosen}</option>}
      {tools.data.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  )
}

export const McpSettings = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  const slug = text(settingsOf(tool).server)
  return (
    <>
      <ServerPicker
        label={words.server}
        value={slug}
        onChoose={(server) => onChange(withSettings(tool, { server, tool_name: '' }))}
      />
      <McpTool {...edit} slug={slug} />
    </>
  )
}

/** A built-in tool with its own name and description. */
export const InternalSettings = ({ tool, taken, onChange }: ToolEdit) => {
  const { data: categories = [] } = useQuery({ ...read('agents.internal_tools'), staleTime: 300_000 })
  const operation = text(settingsOf(tool).operation)
  const choose = (next: string) => {
    const category = categories.find(({ tools }) => tools.includes(next))
    onChange({
      ...withSettings(tool, { category: category?.id ?? '', operation: next }),
      ...(tool.description || next === ''
        ? {}
        : { name: toolName(next, taken), description: category?.description ?? '' }),
    })
  }
  return (
    <SelectField label={words.builtIn} required value={operation} onChange={(event) => choose(event.target.value)}>
      <option value="">{words.chooseTool}</option>
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
