// The initial row of a chat.
import type { AgentData } from '@millrace/contract/chats'
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { wireTime } from '#platform/core/times.ts'
import type { ChatRow } from './store.ts'

export type NewChat = {
  teamId: string
  userId: string
  visibility?: string
  name?: string
  isNamed?: boolean
  agentId: string | null
  versionId: string
  context: Readonly<Record<string, string>>
  agentData?: Partial<AgentData>
  parent?: Pick<ChatRow, 'id' | 'root_id' | 'depth' | 'project_id'>
  forkedFromMessageId?: string
  /** The machine whose coding agent runs the chat. */
  driver?: Driver
}

export type Driver = { remoteId: string; profileId: string; workDir: string }

export const newChatRow = (ctx: Ctx<Actor>, chat: NewChat): ChatRow => {
  const id = newId()
  const now = wireTime(ctx.now())
  return {
    id,
    team_id: chat.teamId,
    team_org_id: null,
    user_id: chat.userId,
    visibility: chat.visibility ?? 'private',
    name: chat.name ?? '',
    is_named: chat.isNamed ?? false,
    description: '',
    parent_id: chat.parent?.id ?? null,
    root_id: chat.parent?.root_id ?? id,
    depth: chat.parent ? chat.parent.depth + 1 : 0,
    agent_id: chat.agentId,
    agent_version_id: chat.versionId,
    status: 'idle',
    active_run_id: null,
    last_error: '',
    agent_data: chat.agentData ?? {},
    output: null,
    context: chat.context,
    channel_context: null,
    remote_id: chat.driver?.remoteId ?? null,
    profile_id: chat.driver?.profileId ?? null,
    work_dir: chat.driver?.workDir ?? '',
    harness_session_id: '',
    forked_from_message_id: chat.forkedFromMessageId ?? null,
    project_id: chat.parent?.project_id ?? null,
    // One position before the messages of every run is reserved for the summary of earlier messages.
    next_order: 2,
    event_seq: 1,
    run_count: 0,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
}

/** The columns to insert. */
export const insertable = ({ team_org_id: _org, ...chat }: ChatRow) => ({
  ...chat,
  agent_data: JSON.stringify(chat.agent_data),
  context: JSON.stringify(chat.context),
  output: null,
  channel_context: chat.channel_context === null ? null : JSON.stringify(chat.channel_context),
})
