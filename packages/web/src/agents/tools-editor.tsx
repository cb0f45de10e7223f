// The tools of an agent: picked from what exists, described for the model, asking first or not.
import type { Tool, ToolType } from '@millrace/contract/agents'
import {
  AppWindow,
  Blocks,
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
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { AreaField, CheckField, TextField } from '../ui/field.tsx'
import { Menu } from '../ui/menu.tsx'
import { Badge } from '../ui/status.tsx'
import { newTool } from './config.ts'
import { HookPart, HttpPart } from './http-part.tsx'
import { AgentPart, AppPart, InternalPart, McpPart, SchemaPart, type ToolEdit } from './tool-parts.tsx'

/** Those that are offered: `call` is another word for `http`, and is edited as one. */
const kinds: readonly { type: ToolType; label: string; icon: LucideIcon }[] = [
  { type: 'app', label: 'App', icon: AppWindow },
  { type: 'agent', label: 'Another agent', icon: Bot },
  { type: 'http', label: 'HTTP request', icon: Globe },
  { type: 'hook', label: 'Webhook that answers later', icon: Webhook },
  { type: 'mcp', label: 'MCP server', icon: Plug },
  { type: 'client', label: 'In the calling program', icon: Terminal },
  { type: 'internal', label: 'Built in, under another name', icon: Blocks },
]

const iconOf = (type: ToolType): LucideIcon => kinds.find((kind) => kind.type === type)?.icon ?? Globe

const parts: Readonly<Record<ToolType, (edit: ToolEdit) => React.ReactNode>> = {
  app: AppPart,
  agent: AgentPart,
  http: HttpPart,
  call: HttpPart,
  hook: HookPart,
  mcp: McpPart,
  client: SchemaPart,
  internal: InternalPart,
}

const ToolRow = ({ tool, taken, onChange, onRemove }: ToolEdit & { onRemove: () => void }) => {
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
          <Part tool={tool} taken={taken} onChange={onChange} />
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
