// The tools of an agent: their target, name, description and approval setting.
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
import { uiStrings } from '../ui/strings.ts'
import { newTool } from './config.ts'
import { HttpSettings, WebhookSettings } from './http-tool.tsx'
import { strings } from './strings.ts'
import {
  AgentSettings,
  AppSettings,
  InternalSettings,
  McpSettings,
  SchemaSettings,
  type ToolEdit,
} from './tool-settings.tsx'

const words = strings.tools

/** `call` is an alias of `http` on the wire and is not offered. */
const kinds: readonly { type: keyof typeof words.kinds; icon: LucideIcon }[] = [
  { type: 'app', icon: AppWindow },
  { type: 'agent', icon: Bot },
  { type: 'http', icon: Globe },
  { type: 'hook', icon: Webhook },
  { type: 'mcp', icon: Plug },
  { type: 'client', icon: Terminal },
  { type: 'internal', icon: Blocks },
]

const iconOf = (type: ToolType): LucideIcon => kinds.find((kind) => kind.type === type)?.icon ?? Globe

const settingsByType: Readonly<Record<ToolType, (edit: ToolEdit) => React.ReactNode>> = {
  app: AppSettings,
  agent: AgentSettings,
  http: HttpSettings,
  call: HttpSettings,
  hook: WebhookSettings,
  mcp: McpSettings,
  client: SchemaSettings,
  internal: InternalSettings,
}

const ToolRow = ({ tool, taken, onChange, onRemove }: ToolEdit & { onRemove: () => void }) => {
  const [open, setOpen] = useState(tool.description === '')
  const Icon = iconOf(tool.type)
  const Settings = settingsByType[tool.type]
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
          {tool.require_approval ? <Badge tone="warn">{words.asks}</Badge> : null}
        </button>
        <Button look="quiet" label={uiStrings.removeThing(tool.name)} onClick={onRemove}>
          <Trash2 aria-hidden />
        </Button>
      </div>
      {open ? (
        <div className="grid gap-3 border-t p-3">
          <Settings tool={tool} taken={taken} onChange={onChange} />
          <TextField
            label={words.name}
            required
            pattern="[a-zA-Z0-9_\-]{1,64}"
            value={tool.name}
            onChange={(event) => onChange({ ...tool, name: event.target.value })}
          />
          <AreaField
            label={uiStrings.description}
            help={words.descriptionHelp}
            rows={2}
            value={tool.description ?? ''}
            onChange={(event) => onChange({ ...tool, description: event.target.value })}
          />
          <CheckField
            label={words.requireApproval}
            checked={tool.require_approval ?? false}
            onChange={(event) => onChange({ ...tool, require_approval: event.target.checked })}
          />
        </div>
      ) : null}
    </li>
  )
}

export const ToolsEditor = ({ tools, onChange }: { tools: readonly Tool[]; onChange: (tools: Tool[]) => void }) => {
  // Stable keys: a row keeps its open state while its name is typed.
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
          items={kinds.map(({ type, icon }) => ({ label: words.kinds[type], icon, onSelect: () => add(type) }))}
          trigger={
            <Button>
              <Plus aria-hidden /> {words.add}
            </Button>
          }
        />
      </div>
    </div>
  )
}
