// The tools of an agent: picked from what exists, described for the model, asking first or not.
import type { Tool, ToolType } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import {
  AppWindow,
  Bot,
  ChevronRight,
  Globe,
  type LucideIcon,
  Plug,
  Plus,
  Terminal,
  Trash2,
  Webhook,
} from 'lucide-react'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CodeEditor } from '../ui/code.tsx'
import { AreaField, CheckField, SelectField, TextField } from '../ui/field.tsx'
import { Menu } from '../ui/menu.tsx'
import { Badge } from '../ui/status.tsx'
import { newTool, partOf, toolName, withPart } from './config.ts'

const kinds: readonly { type: ToolType; label: string; icon: LucideIcon }[] = [
  { type: 'app', label: 'App', icon: AppWindow },
  { type: 'agent', label: 'Another agent', icon: Bot },
  { type: 'http', label: 'HTTP request', icon: Globe },
  { type: 'hook', label: 'Webhook that answers later', icon: Webhook },
  { type: 'mcp', label: 'MCP server', icon: Plug },
  { type: 'client', label: 'In the calling program', icon: Terminal },
]

const iconOf = (type: ToolType): LucideIcon => kinds.find((kind) => kind.type === type)?.icon ?? Globe

type Edit = { tool: Tool; taken: readonly string[]; onChange: (tool: Tool) => void }

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const AppPart = ({ tool, taken, onChange }: Edit) => {
  const apps = useList('apps.list', { include_others: true, limit: 200, sort: [{ field: 'name', dir: 'asc' }] })
  const choose = (ref: string) => {
    const app = apps.items.find(({ namespace, name }) => `${namespace}/${name}` === ref)
    const isNamed = tool.description !== '' && tool.description !== undefined
    onChange({
      ...withPart(tool, { ref }),
      ...(app && !isNamed ? { name: toolName(app.name, taken), description: app.description } : {}),
    })
  }
  return (
    <SelectField label="App" required value={text(partOf(tool).ref)} onChange={(event) => choose(event.target.value)}>
      <option value="">Choose an app</option>
      {apps.items.map(({ id, namespace, name, title }) => (
        <option key={id} value={`${namespace}/${name}`}>
          {title || name} ({namespace}/{name})
        </option>
      ))}
    </SelectField>
  )
}

const AgentPart = ({ tool, onChange }: Edit) => {
  const agents = useList('agents.list', { limit: 200, sort: [{ field: 'name', dir: 'asc' }] })
  return (
    <SelectField
      label="Agent"
      required
      value={text(partOf(tool).ref)}
      onChange={(event) => onChange(withPart(tool, { ref: event.target.value }))}
    >
      <option value="">Choose an agent</option>
      {agents.items.map(({ id, namespace, name, title }) => (
        <option key={id} value={`${namespace}/${name}`}>
          {title || name}
        </option>
      ))}
    </SelectField>
  )
}

const SchemaPart = ({ tool, onChange }: Edit) => {
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

const UrlPart = (edit: Edit) => {
  const { tool, onChange } = edit
  return (
    <>
      <TextField
        label="Address"
        required
        type="url"
        placeholder="https://api.example.com/items/{{id}}"
        help="Names in double braces are filled from the arguments"
        value={text(partOf(tool).url)}
        onChange={(event) => onChange(withPart(tool, { url: event.target.value }))}
      />
      {tool.type === 'hook' ? null : (
        <SelectField
          label="Method"
          value={text(partOf(tool).method) || 'POST'}
          onChange={(event) => onChange(withPart(tool, { method: event.target.value }))}
        >
          {['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => (
            <option key={method}>{method}</option>
          ))}
        </SelectField>
      )}
      <SchemaPart {...edit} />
    </>
  )
}

/** The tools of a server are asked of it; one that does not answer, or not to everybody, leaves the name to be typed. */
const McpTool = ({ tool, taken, onChange, slug }: Edit & { slug: string }) => {
  const tools = useQuery({ ...read('mcps.tools', { path: { slug } }), enabled: slug !== '', retry: false })
  const chosen = text(partOf(tool).tool_name)
  const choose = (name: string) => {
    const found = tools.data?.find((one) => one.name === name)
    const isNamed = tool.description !== '' && tool.description !== undefined
    onChange({
      ...withPart(tool, { tool_name: name }),
      ...(found && !isNamed ? { name: toolName(name, taken), description: found.description } : {}),
    })
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

const McpPart = (edit: Edit) => {
  const { tool, onChange } = edit
  const own = useList('mcp_servers.list', { limit: 100, sort: [{ field: 'name', dir: 'asc' }] })
  const listed = useList('mcps.list', { limit: 100 })
  const slug = text(partOf(tool).server)
  const servers = [...own.items, ...listed.items]
  return (
    <>
      <SelectField
        label="Server"
        required
        value={slug}
        onChange={(event) => onChange(withPart(tool, { server: event.target.value, tool_name: '' }))}
      >
        <option value="">Choose a server</option>
        {slug === '' || servers.some((server) => server.slug === slug) ? null : <option>{slug}</option>}
        {servers.map(({ id, slug: one, title, name }) => (
          <option key={id} value={one}>
            {title || name}
          </option>
        ))}
      </SelectField>
      <McpTool {...edit} slug={slug} />
    </>
  )
}

const parts: Partial<Record<ToolType, (edit: Edit) => React.ReactNode>> = {
  app: AppPart,
  agent: AgentPart,
  http: UrlPart,
  call: UrlPart,
  hook: UrlPart,
  mcp: McpPart,
  client: SchemaPart,
}

const ToolRow = ({ tool, taken, onChange, onRemove }: Edit & { onRemove: () => void }) => {
  const [open, setOpen] = useState(tool.description === '')
  const Icon = iconOf(tool.type)
  const Part = parts[tool.type]
  return (
    <li className="rounded-md border">
      <div className="flex items-center gap-2 px-2 py-1">
        <button
          type="button"
          aria-expanded={open}
          className="flex min-w-0 grow items-center gap-2 text-left"
          onClick={() => setOpen(!open)}
        >
          <ChevronRight className={classes('size-4 shrink-0 text-faint', open && 'rotate-90')} aria-hidden />
          <Icon className="size-4 shrink-0 text-faint" aria-hidden />
          <span className="shrink-0 font-mono text-[12px]">{tool.name}</span>
          <span className="min-w-0 truncate text-faint">{tool.description}</span>
          {tool.require_approval ? <Badge tone="warn">asks first</Badge> : null}
        </button>
        <Button look="quiet" label={`Remove ${tool.name}`} onClick={onRemove}>
          <Trash2 aria-hidden />
        </Button>
      </div>
      {open ? (
        <div className="grid gap-3 border-t p-3">
          {Part ? <Part tool={tool} taken={taken} onChange={onChange} /> : null}
          <TextField
            label="Name for the model"
            required
            pattern="[a-zA-Z0-9_\-]{1,64}"
            value={tool.name}
            onChange={(event) => onChange({ ...tool, name: event.target.value })}
          />
          <AreaField
            label="What it is for"
            help="The model reads this to decide when to use it"
            rows={2}
            value={tool.description ?? ''}
            onChange={(event) => onChange({ ...tool, description: event.target.value })}
          />
          <CheckField
            label="Ask a person before each use"
            checked={tool.require_approval ?? false}
            onChange={(event) => onChange({ ...tool, require_approval: event.target.checked })}
          />
        </div>
      ) : null}
    </li>
  )
}

export const ToolsEditor = ({ tools, onChange }: { tools: readonly Tool[]; onChange: (tools: Tool[]) => void }) => {
  // Rows keep their place and their open state while names are typed.
  const [keys, setKeys] = useState(() => tools.map((_, index) => index))
  const names = tools.map(({ name }) => name)
  const add = (type: ToolType) => {
    setKeys([...keys, Math.max(-1, ...keys) + 1])
    onChange([...tools, newTool(type, names)])
  }
  return (
    <div className="flex flex-col gap-2">
      <ul className="flex flex-col gap-2">
        {tools.map((tool, index) => (
          <ToolRow
            key={keys[index] ?? index}
            tool={tool}
            taken={names.filter((name) => name !== tool.name)}
            onChange={(changed) => onChange(tools.map((one, at) => (at === index ? changed : one)))}
            onRemove={() => {
              setKeys(keys.filter((_, at) => at !== index))
              onChange(tools.filter((_, at) => at !== index))
            }}
          />
        ))}
      </ul>
      <div>
        <Menu
          items={kinds.map(({ type, label, icon }) => ({ label, icon, onSelect: () => add(type) }))}
          trigger={
            <Button>
              <Plus aria-hidden /> Add a tool
            </Button>
          }
        />
      </div>
    </div>
  )
}
