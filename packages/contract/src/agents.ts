// Schemas of agents: agents, versions (also used as ad-hoc configs), tools, lifecycle hooks and rules.
import Type, { type Static } from 'typebox'
import { Images } from './apps.ts'
import {
  baseFields,
  Description,
  IdPath,
  Json,
  Nullable,
  PathText,
  permissionFields,
  StringEnum,
  Timestamp,
  visibilities,
} from './common.ts'

export const toolTypes = ['app', 'agent', 'hook', 'http', 'call', 'mcp', 'client', 'internal'] as const
export type ToolType = (typeof toolTypes)[number]

const Name = Type.String({ maxLength: 64 })
const Ref = Type.String({ maxLength: 256 })
const Id = Type.String({ maxLength: 64 })
const Url = Type.String({ maxLength: 4096 })
const Schema = Type.Optional(Json)

export const ToolAuth = Type.Object({
  type: StringEnum(['integration', 'credential', 'api_key', 'bearer', 'none', '']),
  provider: Type.Optional(Name),
  integration_id: Type.Optional(Id),
  credential_id: Type.Optional(Id),
  secret: Type.Optional(Type.String({ maxLength: 8192, description: 'Name of a secret, or a raw key' })),
  header: Type.Optional(Type.String({ maxLength: 128 })),
})
export type ToolAuth = Static<typeof ToolAuth>

const HttpConfig = Type.Object({
  url: Url,
  method: Type.Optional(Type.String({ maxLength: 16 })),
  auth: Type.Optional(ToolAuth),
  headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 8192 }))),
  input_schema: Schema,
  output_schema: Schema,
  idempotent: Type.Optional(Type.Boolean({ description: 'The request may be sent again if its outcome is unknown' })),
})
export type HttpToolConfig = Static<typeof HttpConfig>

export const Tool = Type.Object({
  name: Type.String({ maxLength: 256 }),
  display_name: Type.Optional(Type.String({ maxLength: 200 })),
  description: Type.Optional(Type.String({ maxLength: 20_000 })),
  type: StringEnum(toolTypes),
  require_approval: Type.Optional(Type.Boolean()),
  app: Type.Optional(
    Type.Object({
      ref: Type.Optional(Ref),
      id: Type.Optional(Id),
      version_id: Type.Optional(Id),
      function: Type.Optional(Name),
      session_enabled: Type.Optional(Type.Boolean()),
      setup: Type.Optional(Json),
      input: Type.Optional(Json),
    }),
  ),
  agent: Type.Optional(Type.Object({ ref: Type.Optional(Ref), id: Type.Optional(Id), version_id: Type.Optional(Id) })),
  hook: Type.Optional(
    Type.Object({
      url: Url,
      secret: Type.Optional(Type.String({ maxLength: 8192 })),
      input_schema: Schema,
      output_schema: Schema,
    }),
  ),
  http: Type.Optional(HttpConfig),
  call: Type.Optional(HttpConfig),
  mcp: Type.Optional(
    Type.Object({
      integration_id: Type.Optional(Id),
      credential_id: Type.Optional(Id),
      server: Type.Optional(Name),
      tool_name: Type.Optional(Type.String({ maxLength: 256 })),
    }),
  ),
  client: Type.Optional(Type.Object({ input_schema: Schema, output_schema: Schema })),
  internal: Type.Optional(Type.Object({ category: Type.Optional(Name), operation: Type.Optional(Name) })),
})
export type Tool = Static<typeof Tool>

export const AgentSkill = Type.Object({
  name: Type.String({ maxLength: 128 }),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  skill_id: Type.Optional(Id),
  version_id: Type.Optional(Id),
  url: Type.Optional(Url),
  content: Type.Optional(Type.String({ maxLength: 262_144 })),
  preload: Type.Optional(Type.Boolean()),
})
export type AgentSkill = Static<typeof AgentSkill>

export const ContextVariable = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128 }),
  description: Type.Optional(Type.String({ maxLength: 2000 })),
  required: Type.Optional(Type.Boolean()),
  default: Type.Optional(Type.String({ maxLength: 20_000 })),
})
export type ContextVariable = Static<typeof ContextVariable>

export const hookEvents = [
  'agent.start',
  'agent.turn_start',
  'agent.tool_call',
  'agent.tool_result',
  'agent.turn_complete',
  'agent.error',
  'agent.complete',
  'agent.idle',
  'agent.pre_compact',
  'agent.post_compact',
] as const
export type HookEventName = (typeof hookEvents)[number]

export const LifecycleHook = Type.Object({
  event: Type.String({ maxLength: 64, description: hookEvents.join(', ') }),
  type: StringEnum(['webhook', 'task', 'gate']),
  handler: Type.Optional(Url),
  async: Type.Optional(Type.Boolean()),
  timeout: Type.Optional(Type.Number({ minimum: 0, maximum: 2_592_000, description: 'Seconds' })),
  default_resolution: Type.Optional(StringEnum(['allow', 'deny', ''])),
})
export type LifecycleHook = Static<typeof LifecycleHook>

export const HookEvent = Type.Object({
  event: StringEnum(hookEvents),
  description: Type.String(),
  can_gate: Type.Boolean(),
})
export type HookEvent = Static<typeof HookEvent>

export const ruleEffects = ['allow', 'ask', 'deny'] as const
export const ruleKinds = ['Tool', 'RemoteExec', 'MCP'] as const

export const RuleInput = Type.Object({
  effect: StringEnum(ruleEffects),
  kind: Type.Optional(StringEnum(ruleKinds)),
  selector: Type.Optional(Type.String({ maxLength: 256 })),
  specifier: Type.Optional(Type.String({ maxLength: 8192 })),
  label: Type.Optional(Type.String({ maxLength: 500 })),
})
export type RuleInput = Static<typeof RuleInput>

export const Rule = Type.Object({
  id: Type.String(),
  effect: StringEnum(ruleEffects),
  kind: StringEnum(ruleKinds),
  selector: Type.String(),
  specifier: Type.String(),
  label: Type.String(),
  created_by: Type.String(),
  created_at: Timestamp,
})
export type Rule = Static<typeof Rule>

export const RulePath = Type.Object({ ...IdPath.properties, ruleId: PathText })

export const Permissions = Type.Object({
  allow_all_tools: Type.Optional(Type.Boolean()),
  rules: Type.Optional(Type.Array(RuleInput, { maxItems: 200 })),
})
export type Permissions = Static<typeof Permissions>

export const CoreApp = Type.Object({
  ref: Type.Optional(Ref),
  id: Type.Optional(Id),
  version_id: Type.Optional(Id),
  app: Type.Optional(Json),
  setup: Type.Optional(Json),
  input: Type.Optional(Json),
})
export type CoreApp = Static<typeof CoreApp>

const configFields = {
  description: Type.Optional(Description),
  system_prompt: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  example_prompts: Type.Optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 50 })),
  core_app: Type.Optional(CoreApp),
  tools: Type.Optional(Type.Array(Tool, { maxItems: 1000 })),
  skills: Type.Optional(Type.Array(AgentSkill, { maxItems: 200 })),
  context: Type.Optional(Type.Array(ContextVariable, { maxItems: 100 })),
  internal_tools: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
  hooks: Type.Optional(Type.Array(LifecycleHook, { maxItems: 50 })),
  output_schema: Type.Optional(Json),
  permissions: Type.Optional(Permissions),
}

export const AgentConfig = Type.Object({ name: Type.Optional(Type.String({ maxLength: 200 })), ...configFields })
export type AgentConfig = Static<typeof AgentConfig>

export const AgentVersion = Type.Object({
  ...baseFields,
  ...permissionFields,
  agent_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  system_prompt: Type.String(),
  example_prompts: Type.Array(Type.String()),
  core_app: Type.Optional(Nullable(CoreApp)),
  tools: Type.Array(Tool),
  skills: Type.Array(AgentSkill),
  context: Type.Array(ContextVariable),
  internal_tools: Type.Record(Type.String(), Type.Boolean()),
  hooks: Type.Array(LifecycleHook),
  output_schema: Json,
  permissions: Permissions,
})
export type AgentVersion = Static<typeof AgentVersion>

export const Agent = Type.Object({
  ...baseFields,
  ...permissionFields,
  project_id: Type.Optional(Nullable(Type.String())),
  project: Type.Optional(Json),
  namespace: Type.String(),
  name: Type.String(),
  title: Type.String(),
  images: Images,
  version_id: Type.String(),
  version: Type.Optional(Nullable(AgentVersion)),
  harness: Type.String(),
  profile_id: Type.Optional(Nullable(Type.String())),
  remote_id: Type.Optional(Nullable(Type.String())),
})
export type Agent = Static<typeof Agent>

const Title = Type.String({ maxLength: 200 })
const ImageUrl = Type.String({ maxLength: 2048, pattern: '^(https?://\\S+)?$' })
const ImagesInput = Type.Object({
  card: Type.Optional(ImageUrl),
  thumbnail: Type.Optional(ImageUrl),
  banner: Type.Optional(ImageUrl),
})

export const CreateAgent = Type.Object({
  id: Type.Optional(Id),
  name: Type.String({ minLength: 1, maxLength: 64 }),
  title: Type.Optional(Title),
  namespace: Type.Optional(Type.String({ maxLength: 64, description: 'Only honored for platform administrators' })),
  images: Type.Optional(ImagesInput),
  version: Type.Optional(AgentConfig),
})
export type CreateAgent = Static<typeof CreateAgent>

export const UpdateAgent = Type.Object({
  title: Type.Optional(Title),
  images: Type.Optional(ImagesInput),
  project_id: Type.Optional(Id),
  remote_id: Type.Optional(Id),
  profile_id: Type.Optional(Id),
  version: Type.Optional(AgentConfig),
})
export type UpdateAgent = Static<typeof UpdateAgent>

export const SetAgentVisibility = Type.Object({ visibility: StringEnum(visibilities) })

export const AgentRefPath = Type.Object({
  namespace: PathText,
  name: Type.String({ minLength: 1, description: 'name[@version]' }),
})

export const InternalToolCategory = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  tools: Type.Array(Type.String()),
  scope: StringEnum(['all', 'top_level', 'sub_agent']),
  default_enabled: Type.Boolean(),
})
export type InternalToolCategory = Static<typeof InternalToolCategory>
