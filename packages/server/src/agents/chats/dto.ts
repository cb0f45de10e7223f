// Wire form of chats, messages, runs, calls and interrupts.
import type { Agent } from '@millrace/contract/agents'
import type {
  AgentData,
  AgentRun,
  Chat,
  ChatMessage,
  ContentItem,
  Interrupt,
  ToolInvocation,
} from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { type Actor, isMember } from '#platform/core/actor.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import { type Version, versionDto } from '../agents/service.ts'
import type { InterruptRow } from './interrupts/interrupts-store.ts'
import { readUsage } from './loop/agent-events.ts'
import type * as store from './store.ts'

type Owned = { id: string; created_at: string; updated_at: string; user_id: string; team_id: string }

const base = (row: Owned, visibility: string) => ({
  ...resourceFields(row),
  visibility: visibility as Chat['visibility'],
})

/** Resources of a chat have the visibility of the chat. */
export type InChat = Pick<store.ChatRow, 'visibility'>

export const callDto = (row: store.CallRow, { visibility }: InChat): ToolInvocation => ({
  ...base(row, visibility),
  chat_message_id: row.chat_message_id,
  tool_invocation_id: row.call_id,
  type: row.type,
  ...(row.display_name !== '' && { display_name: row.display_name }),
  ...(row.execution_id !== null && { execution_id: row.execution_id }),
  function: { name: row.name, arguments: row.arguments as Record<string, unknown> },
  status: row.status as ToolInvocation['status'],
  ...(row.result !== null && { result: row.result }),
  ...(row.data !== null && { data: row.data }),
  ...(row.widget !== null && { widget: row.widget }),
})

export const messageDto = (row: store.MessageRow, calls: readonly store.CallRow[], chat: InChat): ChatMessage => ({
  ...base(row, chat.visibility),
  chat_id: row.chat_id,
  agent_run_id: row.agent_run_id ?? '',
  order: row.order,
  status: row.status as ChatMessage['status'],
  role: row.role,
  content: row.content as ContentItem[],
  task_id: row.task_id,
  ...(row.tools !== null && { tools: row.tools }),
  tool_invocations: calls.map((call) => callDto(call, chat)),
  ...(isRecord(row.usage) && { usage: readUsage(row.usage) }),
})

export const interruptDto = (row: InterruptRow, { visibility }: InChat): Interrupt => ({
  ...base(row, visibility),
  run_id: row.run_id,
  chat_id: row.chat_id,
  reason: row.reason as Interrupt['reason'],
  source: row.source,
  ...(row.resource_id !== null && { resource_id: row.resource_id }),
  ...(row.resource_type !== null && { resource_type: row.resource_type }),
  status: row.status as Interrupt['status'],
  ...(row.resolution !== null && { resolution: row.resolution as 'allow' | 'deny' }),
  ...(row.resolved_at !== null && { resolved_at: row.resolved_at }),
  ...(row.resolved_data !== null && { resolved_data: row.resolved_data }),
  ...(row.expires_at !== null && { expires_at: row.expires_at }),
  meta: row.meta,
})

export const runDto = (row: store.RunRow, chat: InChat, pending: readonly InterruptRow[] = []): AgentRun => {
  const [first] = pending.filter(({ run_id }) => run_id === row.id)
  return {
    ...base(row, chat.visibility),
    agent_id: row.agent_id ?? '',
    agent_version_id: row.agent_version_id,
    chat_id: row.chat_id,
    ...(row.user_message_id !== null && { user_message_id: row.user_message_id }),
    state: row.state as AgentRun['state'],
    ...(row.error !== '' && { error: row.error }),
    ...(row.output !== null && { output: row.output }),
    ...(first && {
      interrupt_reason: first.reason,
      ...(first.resource_type === 'tool_invocation' && { interrupt_tool_id: first.resource_id ?? '' }),
      interrupt_meta: first.meta,
    }),
    ...(row.tool_invocation_id !== null && { tool_invocation_id: row.tool_invocation_id }),
    ...(row.trigger_id !== null && { trigger_id: row.trigger_id }),
    ...(row.profile_id !== null && { profile_id: row.profile_id }),
    ...(row.remote_id !== null && { remote_id: row.remote_id }),
    turn_count: row.turn,
    metadata: row.metadata as Record<string, unknown>,
  }
}

const noData: AgentData = {
  plan_steps: [],
  memory: {},
  always_allowed_tools: [],
  allow_all_tools: false,
  disable_hooks: false,
}

export const agentDataOf = ({ agent_data }: Pick<store.ChatRow, 'agent_data'>): AgentData => ({
  ...noData,
  ...(agent_data as Partial<AgentData>),
})

export type ChatParts = {
  run?: store.RunRow | undefined
  interrupts?: readonly InterruptRow[]
  agent?: Agent | null
  version?: Version | undefined
  /** Only readers of the chat's own workspace get the context values. Without a reader they are included. */
  reader?: Actor
}

/** The context can contain values that the person who started the chat did not write into a message. */
export const mayReadContext = (reader: Actor, { team_id }: Pick<store.ChatRow, 'team_id'>): boolean =>
  isMember(reader) && reader.teamId === team_id

export const chatDto = (row: store.ChatRow, { run, interrupts = [], agent, version, reader }: ChatParts): Chat => ({
  ...base(row, row.visibility),
  name: row.name,
  description: row.description,
  project_id: row.project_id,
  parent_id: row.parent_id,
  parent: null,
  children: [],
  agent_id: row.agent_id ?? '',
  ...(agent !== undefined && { agent }),
  agent_version_id: row.agent_version_id,
  ...(version && { agent_version: row.agent_id === null ? null : versionDto(version, row.visibility) }),
  status: row.status as Chat['status'],
  ...(run && { active_run: runDto(run, row, interrupts), active_run_id: run.id }),
  ...(row.last_error !== '' && { last_error: row.last_error }),
  pending_interrupts: interrupts.map((interrupt) => interruptDto(interrupt, row)),
  agent_data: agentDataOf(row),
  output: row.output,
  context: reader && !mayReadContext(reader, row) ? {} : (row.context as Record<string, unknown>),
  ...(row.channel_context !== null && { channel_context: row.channel_context }),
  ...(row.work_dir !== '' && { work_dir: row.work_dir }),
  ...(row.harness_session_id !== '' && { harness_session_id: row.harness_session_id }),
  ...(row.forked_from_message_id !== null && { forked_from_message_id: row.forked_from_message_id }),
})
