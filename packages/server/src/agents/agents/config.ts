// Validation of a version or an ad-hoc config, as far as it needs no database. Pure.
import type { AgentConfig, AgentSkill, LifecycleHook, Tool, ToolType } from '@millrace/contract/agents'
import { isRecord } from '@millrace/contract/json'
import { parseRef } from '@millrace/contract/refs'
import { compileSchema } from '#execution/apps/service.ts'
import { assertDescription } from '#platform/core/description.ts'
import { type Failure, fail } from '#platform/core/errors.ts'
import { findHookEvent } from './catalog.ts'

/** A config with defaults for everything optional. */
export type FullConfig = Required<Omit<AgentConfig, 'core_app' | 'output_schema'>> &
  Pick<AgentConfig, 'core_app' | 'output_schema'>

const invalid = (field: string, detail: string): Failure =>
  fail('validation_error', { detail: `${field} ${detail}`, meta: { field } })

const toolName = /^[a-zA-Z0-9_-]{1,64}$/

const configKeys: Record<ToolType, keyof Tool> = {
  app: 'app',
  agent: 'agent',
  hook: 'hook',
  http: 'http',
  call: 'call',
  mcp: 'mcp',
  client: 'client',
  internal: 'internal',
}

/** Checks only the scheme. Whether the address may be reached is checked when it is called. */
const assertUrl = (field: string, text: string): void => {
  // A placeholder may replace the host, but not the scheme.
  if (!/^https?:\/\/\S/i.test(text)) throw invalid(field, 'must be an http or https address')
}

/** For all schemas together: parsing them blocks the event loop. */
const maxSubschemas = 5_000

type AssertSchema = (field: string, schema: unknown) => void

const createAssertSchema = (): AssertSchema => {
  let remaining = maxSubschemas
  return (field, schema) => {
    if (schema === undefined || schema === null || (isRecord(schema) && Object.keys(schema).length === 0)) return
    try {
      remaining -= compileSchema(schema).subschemas
    } catch (error) {
      throw invalid(field, error instanceof Error ? error.message : 'is not a JSON Schema')
    }
    if (remaining < 0) throw invalid(field, `exceeds the limit of ${maxSubschemas} subschemas for the agent`)
  }
}

const assertRef = (field: string, named: { ref?: string; id?: string }): void => {
  if (!named.ref && !named.id) throw invalid(field, 'needs a ref or an id')
  if (named.ref && parseRef(named.ref) === null) throw invalid(`${field}.ref`, 'is not a ref')
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])

const assertTool = (tool: Tool, index: number, assertSchema: AssertSchema): void => {
  const at = `tools.${index}`
  if (!toolName.test(tool.name)) throw invalid(`${at}.name`, 'must be 1 to 64 letters, digits, _ or -')
  const key = configKeys[tool.type]
  const given = Object.values(configKeys).filter((one) => tool[one] !== undefined)
  if (given.length !== 1 || given[0] !== key)
    throw invalid(at, `of type ${tool.type} needs exactly the settings ${key}`)
  if (tool.app) assertRef(`${at}.app`, tool.app)
  if (tool.agent) assertRef(`${at}.agent`, tool.agent)
  if (tool.hook) assertUrl(`${at}.hook.url`, tool.hook.url)
  const http = tool.http ?? tool.call
  if (http) {
    assertUrl(`${at}.${key}.url`, http.url)
    if (http.method && !methods.has(http.method.toUpperCase())) throw invalid(`${at}.${key}.method`, 'is not supported')
  }
  if (tool.mcp && !tool.mcp.integration_id && !tool.mcp.credential_id && !tool.mcp.server)
    throw invalid(`${at}.mcp`, 'needs a credential_id or a server')
  if (tool.internal && !tool.internal.category && !tool.internal.operation)
    throw invalid(`${at}.internal`, 'needs a category or an operation')
  for (const settings of [tool.hook, http, tool.client]) {
    assertSchema(`${at}.${key}.input_schema`, settings?.input_schema)
    assertSchema(`${at}.${key}.output_schema`, settings?.output_schema)
  }
}

const assertSkill = (skill: AgentSkill, index: number): void => {
  const sources = [skill.skill_id, skill.url, skill.content].filter((source) => source !== undefined && source !== '')
  if (sources.length !== 1) throw invalid(`skills.${index}`, 'needs exactly one of skill_id, url and content')
  if (skill.url) assertUrl(`skills.${index}.url`, skill.url)
}

const assertHook = (hook: LifecycleHook, index: number): void => {
  const at = `hooks.${index}`
  const event = findHookEvent(hook.event)
  if (!event) throw invalid(`${at}.event`, `is not an agent event: ${hook.event}`)
  if (hook.type === 'gate' && !event.can_gate) throw invalid(at, `cannot be a gate: ${hook.event} cannot be gated`)
  if (hook.type === 'webhook') assertUrl(`${at}.handler`, hook.handler ?? '')
  if (hook.type === 'task' && parseRef(hook.handler ?? '') === null)
    throw invalid(`${at}.handler`, 'must be the ref of an agent or an app')
}

const assertUnique = (field: string, names: readonly string[]): void => {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(field, `contains ${twice} more than once`)
}

/** `storedDescription`: an unchanged description is not validated again. */
export const readConfig = (config: AgentConfig, storedDescription?: string): FullConfig => {
  const { tools = [], skills = [], context = [], hooks = [] } = config
  assertDescription(config.description ?? '', storedDescription)
  const assertSchema = createAssertSchema()
  for (const [index, tool] of tools.entries()) assertTool(tool, index, assertSchema)
  assertUnique(
    'tools',
    tools.map(({ name }) => name),
  )
  for (const [index, skill] of skills.entries()) assertSkill(skill, index)
  assertUnique(
    'context',
    context.map(({ name }) => name),
  )
  for (const [index, hook] of hooks.entries()) assertHook(hook, index)
  assertSchema('output_schema', config.output_schema)
  for (const [index, rule] of (config.permissions?.rules ?? []).entries())
    if (!rule.selector) throw invalid(`permissions.rules.${index}.selector`, 'is required')
  const { core_app: core } = config
  const hasCore = core?.ref || core?.id
  return {
    name: config.name ?? '',
    description: config.description ?? '',
    system_prompt: config.system_prompt ?? '',
    example_prompts: config.example_prompts ?? [],
    ...(hasCore && { core_app: core }),
    tools,
    skills,
    context,
    internal_tools: config.internal_tools ?? {},
    hooks,
    ...(config.output_schema !== undefined && config.output_schema !== null && { output_schema: config.output_schema }),
    permissions: config.permissions ?? {},
  }
}

/** Every secret (name or value) in the tools' settings, by tool. */
export const secretsIn = (config: Pick<FullConfig, 'tools'>): Map<string, string> => {
  const secrets = new Map<string, string>()
  for (const tool of config.tools) {
    const secret = tool.hook?.secret ?? (tool.http ?? tool.call)?.auth?.secret
    if (secret) secrets.set(tool.name, secret)
  }
  return secrets
}

/** The host that the tool could send its secret to, across all its settings; undefined if that is unknown. */
export const destinationOf = ({ tools }: Pick<FullConfig, 'tools'>, name: string): string | undefined => {
  const { hook, http, call } = tools.find((tool) => tool.name === name) ?? {}
  const addresses = [hook, http, call].map((settings) => settings?.url)
  if (addresses.some((address) => address !== undefined && !URL.canParse(address))) return undefined
  return JSON.stringify(addresses.map((address) => (address === undefined ? null : new URL(address).origin)))
}

/** The config with the secret of each named tool replaced. */
export const withSecrets = (config: FullConfig, secrets: ReadonlyMap<string, string>): FullConfig => ({
  ...config,
  tools: config.tools.map((tool) => {
    const secret = secrets.get(tool.name)
    if (secret === undefined) return tool
    if (tool.hook) return { ...tool, hook: { ...tool.hook, secret } }
    const key = tool.http ? 'http' : 'call'
    const settings = tool[key]
    return settings ? { ...tool, [key]: { ...settings, auth: { type: 'none', ...settings.auth, secret } } } : tool
  }),
})
