// An agent's configuration as the editor holds it. Pure.
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

/** What of a version can be sent back as the next one. */
export const configOf = (version: AgentVersion | null | undefined): AgentConfig => {
  if (!version) return {}
  const entries = members.map((name) => [name, version[name]] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined)) as AgentConfig
}

export const isSame = (a: AgentConfig, b: AgentConfig): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Names of tools are what a model calls them by: letters, digits, `_` and `-`. */
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

/** The part of a tool that its type names. */
export const partOf = (tool: Tool): Record<string, unknown> => (tool[tool.type] ?? {}) as Record<string, unknown>

export const withPart = (tool: Tool, change: Record<string, unknown>): Tool => ({
  ...tool,
  [tool.type]: { ...partOf(tool), ...change },
})

export type HeaderRow = { name: string; value: string }

/** Headers as rows of a form, and back; of two with one name the last counts, and one without a name not yet. */
export const headerRows = (headers: unknown): HeaderRow[] =>
  isRecord(headers) ? Object.entries(headers).map(([name, value]) => ({ name, value: String(value) })) : []

export const headersOf = (rows: readonly HeaderRow[]): Record<string, string> =>
  Object.fromEntries(rows.flatMap(({ name, value }) => (name === '' ? [] : [[name, value]])))
