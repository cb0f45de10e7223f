// The configuration of an agent, as edited on its page. Pure.
import type { AgentConfig, AgentVersion, Tool, ToolType } from '@millrace/contract/agents'
import { isRecord } from '@millrace/contract/json'

const members = [
  'name',
  'description',
  'system_prompt',
  'example_prompts',
  'core_app',
  'tools',
  'skills',
  'context',
  'internal_tools',
  'hooks',
  'output_schema',
  'permissions',
] as const

/** The editable fields of a version, which can be sent as the next version. */
export const configOf = (version: AgentVersion | null | undefined): AgentConfig => {
  if (!version) return {}
  const entries = members.map((name) => [name, version[name]] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined)) as AgentConfig
}

export const isSame = (a: AgentConfig, b: AgentConfig): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Whether a tool holds a stored key. The server returns it masked, so that it cannot be sent outside of a new version. */
export const hasStoredKey = ({ tools = [] }: AgentConfig): boolean => /"\*{4}[^"]{0,4}"/.test(JSON.stringify(tools))

/** A tool name that models accept: letters, digits, `_` and `-`; unique among `taken`. */
export const toolName = (text: string, taken: readonly string[]): string => {
  const base = text.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 56) || 'tool'
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}_${count}`
    if (!taken.includes(name)) return name
  }
}

export const newTool = (type: ToolType, taken: readonly string[]): Tool => {
  const name = toolName(type, taken)
  const empty = { type: 'object', properties: {} }
  switch (type) {
    case 'http':
    case 'call':
      return { name, type, description: '', [type]: { url: '', method: 'GET', input_schema: empty } }
    case 'client':
      return { name, type, description: '', client: { input_schema: empty } }
    case 'hook':
      return { name, type, description: '', hook: { url: '', input_schema: empty } }
    case 'internal':
      return { name, type, description: '', internal: { category: '', operation: '' } }
    case 'mcp':
      return { name, type, description: '', mcp: { server: '', tool_name: '' } }
    default:
      return { name, type, description: '' }
  }
}

/** The settings of a tool, stored under the name of its type. */
export const settingsOf = (tool: Tool): Record<string, unknown> => (tool[tool.type] ?? {}) as Record<string, unknown>

export const withSettings = (tool: Tool, change: Record<string, unknown>): Tool => ({
  ...tool,
  [tool.type]: { ...settingsOf(tool), ...change },
})

/** The namespace and name of the model app and of each app among the tools, each app once. */
export const appRefsOf = ({ core_app, tools = [] }: AgentConfig): [namespace: string, name: string][] => {
  const refs = [core_app?.ref, ...tools.map((tool) => (tool.type === 'app' ? settingsOf(tool).ref : undefined))]
  const written = refs.filter((ref) => typeof ref === 'string')
  return [...new Set(written.map((ref) => ref.split('@')[0] ?? ''))].flatMap((ref): [string, string][] => {
    const [namespace, name, ...rest] = ref.split('/')
    return namespace && name && rest.length === 0 ? [[namespace, name]] : []
  })
}

export type HeaderRow = { name: string; value: string }

/** Headers as rows of a form. */
export const headerRows = (headers: unknown): HeaderRow[] =>
  isRecord(headers) ? Object.entries(headers).map(([name, value]) => ({ name, value: String(value) })) : []

/** The last of two headers with one name wins; rows without a name are ignored. */
export const headersOf = (rows: readonly HeaderRow[]): Record<string, string> =>
  Object.fromEntries(rows.flatMap(({ name, value }) => (name === '' ? [] : [[name, value]])))
