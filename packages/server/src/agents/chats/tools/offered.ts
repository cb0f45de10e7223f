// The tools of a run with their names and parameters: the agent's own and the built-in ones.
import type { Tool, ToolType } from '@millrace/contract/agents'
import { isRecord } from '@millrace/contract/json'
import { recentRunTarget, resolveForRun } from '#execution/apps/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import {
  categoryOf,
  enabledCategories,
  type FullConfig,
  findRunnable,
  isTopLevelTool,
  type Version,
} from '../../agents/service.ts'
import { finishTool, internalTool } from './internal-tools.ts'
import { toolKind } from './kinds.ts'

export type OfferedTool = {
  name: string
  type: ToolType
  displayName: string
  description: string
  parameters: Record<string, unknown>
  requireApproval: boolean
  /** The entry of the agent's config; null for a built-in tool without one. */
  tool: Tool | null
  /** The name of the built-in tool. */
  operation: string
  /** For a tool on an MCP server: the server and the tool's name there. */
  remote?: { server: string; tool: string }
}

const anything = { type: 'object', properties: {} }

const schemaOf = (schema: unknown): Record<string, unknown> =>
  isRecord(schema) && Object.keys(schema).length > 0 ? schema : anything

/** Descriptions for models are limited in length. */
export const clipped = (text: string, limit = 200): string => {
  const plain = text.replace(/\s+/g, ' ').trim()
  const letters = [...plain]
  return letters.length <= limit ? plain : `${letters.slice(0, limit - 3).join('')}...`
}

const base = (tool: Tool) => ({
  name: tool.name,
  type: tool.type,
  displayName: tool.display_name ?? '',
  description: tool.description ?? '',
  requireApproval: tool.require_approval === true,
  tool,
  operation: '',
})

export const appRequest = (app: NonNullable<Tool['app']>) => ({
  ...(app.ref ? { app: app.ref } : { app_id: app.id }),
  ...(app.version_id && { version_id: app.version_id }),
  ...(app.function && { function: app.function }),
})

/** Parameters with a default from the agent's author become optional. */
const withoutDefaults = (schema: Record<string, unknown>, defaults: unknown): Record<string, unknown> => {
  if (!isRecord(defaults) || !Array.isArray(schema.required)) return schema
  return { ...schema, required: schema.required.filter((name) => !Object.hasOwn(defaults, String(name))) }
}

const sessionParameter = {
  session: { type: 'string', description: '"new", or the session_id of an earlier call, to keep its state' },
}

const appTool = async (ctx: Ctx<Member>, tool: Tool, app: NonNullable<Tool['app']>): Promise<OfferedTool> => {
  const request = appRequest(app)
  const target = await (async () =>
    (await recentRunTarget(ctx, request)) ?? (await resolveForRun(ctx, request)))().catch((error: unknown) => {
    if (isFailure(error)) return undefined
    throw error
  })
  const schema = withoutDefaults(schemaOf(target?.fn.input_schema), app.input)
  const described = clipped(target?.app.agent_description || target?.app.description || '')
  const offered = { ...base(tool), description: clipped(tool.description ?? '', 1000) || described }
  if (!app.session_enabled) return { ...offered, parameters: schema }
  const properties = { ...(isRecord(schema.properties) ? schema.properties : {}), ...sessionParameter }
  return { ...offered, parameters: { ...schema, properties } }
}

const messageParameter = {
  type: 'object',
  properties: { message: { type: 'string', description: 'The complete task' } },
  required: ['message'],
}

const agentTool = async (ctx: Ctx<Member>, tool: Tool, agent: NonNullable<Tool['agent']>): Promise<OfferedTool> => {
  const found = tool.description
    ? undefined
    : await findRunnable(ctx, agent.ref || agent.id || '', agent.version_id ?? null).catch((error: unknown) => {
        if (isFailure(error)) return undefined
        throw error
      })
  const description = tool.description || found?.version.config.description || ''
  return { ...base(tool), description: clipped(description, 1000), parameters: messageParameter }
}

const builtIn = (name: string, config: FullConfig, entry: Tool | null = null): OfferedTool | undefined => {
  const known = name === 'finish' ? finishTool(config.output_schema) : internalTool(name)
  if (!known) return undefined
  return {
    name: entry?.name ?? known.name,
    type: 'internal',
    displayName: entry?.display_name ?? '',
    description: entry?.description || known.description,
    parameters: known.parameters,
    requireApproval: entry?.require_approval === true,
    tool: entry,
    operation: known.name,
  }
}

/** An agent may rename a built-in tool. */
export const operationOf = ({ tools }: Pick<FullConfig, 'tools'>, name: string): string =>
  tools.find((tool) => tool.name === name)?.internal?.operation || name

const ownTool = async (ctx: Ctx<Member>, tool: Tool, config: FullConfig): Promise<OfferedTool[]> => {
  if (tool.app) return [await appTool(ctx, tool, tool.app)]
  if (tool.agent) return [await agentTool(ctx, tool, tool.agent)]
  if (tool.type === 'internal') return [builtIn(tool.internal?.operation || tool.name, config, tool) ?? []].flat()
  if (tool.type === 'mcp') {
    const described = await toolKind(ctx, 'mcp')
      ?.describe(ctx, tool)
      .catch((error: unknown) => {
        if (isFailure(error)) return undefined
        throw error
      })
    // The run continues without the tools of a server that was not reachable.
    return (described ?? []).map((one) => ({ ...base(tool), ...one, description: clipped(one.description, 1000) }))
  }
  const settings = tool.hook ?? tool.http ?? tool.call ?? tool.client
  const hookAnything = { type: 'object', properties: { data: { type: 'object' } } }
  const schema = settings?.input_schema ?? (tool.type === 'hook' ? hookAnything : undefined)
  return [{ ...base(tool), parameters: schemaOf(schema) }]
}

/** Entries whose tools are not discovered yet. */
export const undiscovered = async (ctx: Ctx<Member>, { config }: Version): Promise<Tool[]> => {
  const entries: Tool[] = []
  for (const tool of config.tools) {
    const kind = toolKind(ctx, tool.type)
    if (!kind) continue
    const described = await kind.describe(ctx, tool).catch((error: unknown) => {
      // A refusal needs no request.
      if (isFailure(error)) return []
      throw error
    })
    if (described === undefined) entries.push(tool)
  }
  return entries
}

/** Widgets and spawning are only available in top-level chats, also under other names. */
const isTopLevel = (config: FullConfig, { type, name }: Tool): boolean =>
  type === 'internal' && isTopLevelTool(operationOf(config, name))

/** Every tool of a run. A tool of the agent's own hides a built-in one with the same name. */
export const allTools = async (
  ctx: Ctx<Member>,
  { config }: Version,
  { isSubAgent }: { isSubAgent: boolean },
): Promise<Map<string, OfferedTool>> => {
  const tools = new Map<string, OfferedTool>()
  for (const tool of config.tools.filter((tool) => !isSubAgent || !isTopLevel(config, tool)))
    for (const offered of await ownTool(ctx, tool, config))
      if (!tools.has(offered.name)) tools.set(offered.name, offered)
  const chosen = { ...config.internal_tools }
  const categories = new Set(
    enabledCategories(chosen, { isSubAgent, hasOutputSchema: config.output_schema !== undefined }),
  )
  // Without skills, the skill tools are not offered.
  if (config.skills.length === 0) categories.delete('skills')
  for (const name of internalNames) {
    if (!categories.has(categoryOf(name) ?? '') || tools.has(name)) continue
    const offered = builtIn(name, config)
    if (offered) tools.set(name, offered)
  }
  return tools
}

const internalNames = [
  ...['plan_create', 'plan_update', 'plan_load', 'memory_set', 'memory_get', 'memory_get_all', 'widget_ui'],
  ...['widget_html', 'finish', 'skill_list', 'skill_load', 'host_context_get', 'tool_search', 'tool_call'],
  ...['artifact_publish', 'artifact_read', 'agent_spawn', 'remote_list', 'remote_exec'],
] as const

const maxShown = 32

/** The tools in the prompt. With tool search enabled, an agent with very many tools shows only the built-in ones. */
export const shownTools = (tools: ReadonlyMap<string, OfferedTool>): OfferedTool[] => {
  const all = [...tools.values()]
  const own = all.filter(({ type }) => type !== 'internal')
  return tools.has('tool_search') && own.length > maxShown ? all.filter(({ type }) => type === 'internal') : all
}

export const definitionOf = ({ name, description, parameters }: OfferedTool) => ({
  type: 'function',
  function: { name, description, parameters },
})

/** Tools ranked by the number of query words in their name or description. */
export const searchTools = (tools: ReadonlyMap<string, OfferedTool>, query: string): OfferedTool[] => {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const scored = [...tools.values()]
    .filter(({ type }) => type !== 'internal')
    .map((tool) => {
      const text = `${tool.name} ${tool.displayName} ${tool.description}`.toLowerCase()
      const score = words.reduce(
        (sum, word) => sum + (text.includes(word) ? 1 + Number(tool.name.includes(word)) : 0),
        0,
      )
      return { tool, score }
    })
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 10)
    .map(({ tool }) => tool)
}
