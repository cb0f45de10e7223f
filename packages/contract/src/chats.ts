// Schemas of chats: chats, messages, runs of the agent loop, tool calls, and interrupts.
import Type, { type Static } from 'typebox'
import { Agent, AgentConfig, AgentVersion } from './agents.ts'
import { baseFields, Json, JsonObject, Nullable, permissionFields, StringEnum, Timestamp } from './common.ts'

export const chatStatuses = ['busy', 'idle', 'awaiting_input', 'completed'] as const
export type ChatStatus = (typeof chatStatuses)[number]

export const messageStatuses = ['pending', 'queued', 'ready', 'failed', 'cancelled'] as const
export type MessageStatus = (typeof messageStatuses)[number]

export const runStates = [
  'submitted',
  'working',
  'input_required',
  'auth_required',
  'completed',
  'failed',
  'canceled',
  'rejected',
] as const
export type RunState = (typeof runStates)[number]

export const isRunOver = (state: string): boolean =>
  state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected'

export const invocationStatuses = [
  'pending',
  'in_progress',
  'awaiting_input',
  'awaiting_approval',
  'completed',
  'failed',
  'cancelled',
] as const
export type InvocationStatus = (typeof invocationStatuses)[number]

export const isInvocationOver = (status: string): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

export const chatVisibilities = ['private', 'team', 'public'] as const

const Text = Type.String({ maxLength: 1_000_000 })
const Uri = Type.String({ maxLength: 2_000_000 })
const Id = Type.String({ maxLength: 64 })
const Ref = Type.String({ maxLength: 256 })

export const FileRef = Type.Object({
  uri: Uri,
  filename: Type.Optional(Type.String({ maxLength: 1024 })),
  content_type: Type.Optional(Type.String({ maxLength: 256 })),
  id: Type.Optional(Id),
  size: Type.Optional(Type.Number()),
})
export type FileRef = Static<typeof FileRef>

/** Fields of older clients (`role`, `system_prompt`, `tools`, …) are accepted and ignored. */
export const MessageInput = Type.Object({
  text: Type.Optional(Text),
  attachments: Type.Optional(Type.Array(FileRef, { maxItems: 64 })),
  images: Type.Optional(Type.Array(Uri, { maxItems: 64 })),
  files: Type.Optional(Type.Array(Uri, { maxItems: 64 })),
})
export type MessageInput = Static<typeof MessageInput>

export const ContextValues = Type.Record(Type.String(), Type.String({ maxLength: 100_000 }))

const olderName = (name: string) =>
  Type.String({ maxLength: 256, description: `The name of ${name} in older clients; ignored if the new name is set` })

export const RunAgent = Type.Object({
  chat_id: Type.Optional(Id),
  agent: Type.Optional(Ref),
  agent_ref: Type.Optional(olderName('`agent`')),
  agent_id: Type.Optional(Id),
  agent_version_id: Type.Optional(Id),
  agent_config: Type.Optional(
    Type.Object({ ...AgentConfig.properties, core_app_ref: Type.Optional(olderName('`core_app.ref`')) }),
  ),
  agent_name: Type.Optional(Type.String({ maxLength: 200 })),
  context: Type.Optional(ContextValues),
  input: MessageInput,
  stream: Type.Optional(Type.Boolean()),
})
export type RunAgent = Static<typeof RunAgent>

export const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.String(),
  function: Type.Object({ name: Type.String(), arguments: Json }),
})
export type ToolCall = Static<typeof ToolCall>

export const ContentItem = Type.Object({
  type: StringEnum(['text', 'reasoning', 'image', 'file', 'tool']),
  text: Type.Optional(Type.String()),
  image: Type.Optional(Type.String()),
  file: Type.Optional(Type.String()),
  filename: Type.Optional(Type.String()),
  content_type: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
})
export type ContentItem = Static<typeof ContentItem>

const resource = { ...baseFields, ...permissionFields }

export const ToolInvocation = Type.Object({
  ...resource,
  chat_message_id: Type.String(),
  tool_invocation_id: Type.String({ description: 'The model’s own id for the call' }),
  type: Type.String(),
  display_name: Type.Optional(Type.String()),
  execution_id: Type.Optional(Type.String()),
  function: Type.Object({ name: Type.String(), arguments: JsonObject }),
  status: StringEnum(invocationStatuses),
  result: Type.Optional(Type.String()),
  data: Type.Optional(Json),
  widget: Type.Optional(Json),
})
export type ToolInvocation = Static<typeof ToolInvocation>

export const MessageUsage = Type.Object({
  prompt_tokens: Type.Number(),
  completion_tokens: Type.Number(),
  total_tokens: Type.Number(),
  reasoning_tokens: Type.Optional(Type.Number()),
  cached_tokens: Type.Optional(Type.Number({ description: 'Prompt tokens read from the cache of the provider' })),
  cache_write_tokens: Type.Optional(Type.Number()),
})
export type MessageUsage = Static<typeof MessageUsage>

export const ChatMessage = Type.Object({
  ...resource,
  chat_id: Type.String(),
  agent_run_id: Type.String(),
  order: Type.Integer(),
  status: StringEnum(messageStatuses),
  role: Type.String(),
  content: Type.Array(ContentItem),
  task_id: Nullable(Type.String()),
  tools: Type.Optional(Json),
  tool_call_id: Type.Optional(Type.String()),
  tool_invocations: Type.Array(ToolInvocation),
  usage: Type.Optional(MessageUsage),
})
export type ChatMessage = Static<typeof ChatMessage>

export const AgentRun = Type.Object({
  ...resource,
  agent_id: Type.String(),
  agent_version_id: Type.Optional(Type.String()),
  chat_id: Type.String(),
  user_message_id: Type.Optional(Type.String()),
  state: StringEnum(runStates),
  error: Type.Optional(Type.String()),
  output: Type.Optional(Json),
  interrupt_reason: Type.Optional(Type.String()),
  interrupt_tool_id: Type.Optional(Type.String()),
  interrupt_meta: Type.Optional(Json),
  tool_invocation_id: Type.Optional(Type.String()),
  trigger_id: Type.Optional(Type.String()),
  profile_id: Type.Optional(Type.String({ description: 'The coding agent that executes the run on a machine' })),
  remote_id: Type.Optional(Type.String()),
  turn_count: Type.Integer(),
  metadata: Type.Optional(JsonObject),
})
export type AgentRun = Static<typeof AgentRun>

export const interruptReasons = ['tool_approval', 'client_tool', 'widget', 'auth', 'confirmation', 'hook_gate'] as const

export const Interrupt = Type.Object({
  ...resource,
  run_id: Type.String(),
  chat_id: Type.String(),
  reason: StringEnum(interruptReasons),
  source: Type.String(),
  resource_id: Type.Optional(Type.String()),
  resource_type: Type.Optional(Type.String()),
  status: StringEnum(['pending', 'resolved', 'expired', 'cancelled']),
  resolution: Type.Optional(StringEnum(['allow', 'deny'])),
  resolved_at: Type.Optional(Timestamp),
  resolved_data: Type.Optional(Json),
  expires_at: Type.Optional(Timestamp),
  meta: Type.Optional(Json),
})
export type Interrupt = Static<typeof Interrupt>

export const PlanStep = Type.Object({
  index: Type.Integer(),
  title: Type.String(),
  description: Type.String(),
  notes: Type.Optional(Type.String()),
  status: StringEnum(['pending', 'in_progress', 'completed', 'cancelled']),
})
export type PlanStep = Static<typeof PlanStep>

export const AgentData = Type.Object({
  plan_steps: Type.Array(PlanStep),
  memory: JsonObject,
  always_allowed_tools: Type.Array(Type.String()),
  allow_all_tools: Type.Boolean(),
  disable_hooks: Type.Boolean(),
})
export type AgentData = Static<typeof AgentData>

export const Chat = Type.Object({
  ...resource,
  name: Type.String(),
  description: Type.String(),
  project_id: Type.Optional(Nullable(Type.String())),
  parent_id: Type.Optional(Nullable(Type.String())),
  parent: Type.Optional(Json),
  children: Type.Array(Json),
  agent_id: Type.String(),
  agent: Type.Optional(Nullable(Agent)),
  agent_version_id: Type.String(),
  agent_version: Type.Optional(Nullable(AgentVersion)),
  status: StringEnum(chatStatuses),
  active_run: Type.Optional(AgentRun),
  active_run_id: Type.Optional(Nullable(Type.String())),
  last_error: Type.Optional(
    Type.String({ description: 'Why the last run failed; absent during a run and after a run that did not fail' }),
  ),
  pending_interrupts: Type.Array(Interrupt),
  agent_data: AgentData,
  output: Json,
  context: JsonObject,
  channel_context: Type.Optional(Json),
  work_dir: Type.Optional(Type.String()),
  harness_session_id: Type.Optional(Type.String()),
  forked_from_message_id: Type.Optional(Type.String()),
})
export type Chat = Static<typeof Chat>

export const ChatStatusReply = Type.Object({
  id: Type.String(),
  status: StringEnum(chatStatuses),
  updated_at: Timestamp,
})

/** A queued message has no assistant message yet. */
export const RunAgentReply = Type.Object({
  user_message: ChatMessage,
  assistant_message: Type.Optional(ChatMessage),
})
export type RunAgentReply = Static<typeof RunAgentReply>

export const CreateChat = Type.Object({
  agent: Type.Optional(Ref),
  name: Type.Optional(Type.String({ maxLength: 500 })),
  context: Type.Optional(ContextValues),
})
export type CreateChat = Static<typeof CreateChat>

export const SendMessage = Type.Object({
  message: Type.Optional(Text),
  attachments: Type.Optional(Type.Array(FileRef, { maxItems: 64 })),
})
export type SendMessage = Static<typeof SendMessage>

export const SetChatVisibility = Type.Object({ visibility: StringEnum(chatVisibilities) })

export const UpdateChat = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 500 })),
  description: Type.Optional(Type.String({ maxLength: 5000 })),
  visibility: Type.Optional(StringEnum(chatVisibilities)),
  project_id: Type.Optional(Id),
})
export type UpdateChat = Static<typeof UpdateChat>

export const ChatSettings = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 500 })),
  visibility: Type.Optional(StringEnum(chatVisibilities)),
  allow_all_tools: Type.Optional(Type.Boolean()),
  disable_hooks: Type.Optional(Type.Boolean()),
  memory: Type.Optional(JsonObject),
})
export type ChatSettings = Static<typeof ChatSettings>

export const ChatSettingsReply = Type.Object({
  chat_id: Type.String(),
  name: Type.String(),
  visibility: StringEnum(chatVisibilities),
  allow_all_tools: Type.Boolean(),
  disable_hooks: Type.Boolean(),
  memory: JsonObject,
})
export type ChatSettingsReply = Static<typeof ChatSettingsReply>

export const SetChatAgent = Type.Object({ agent: Type.String({ minLength: 1, maxLength: 256 }) })
export const ForkChat = Type.Object({ message_id: Type.String({ minLength: 1, maxLength: 64 }) })
