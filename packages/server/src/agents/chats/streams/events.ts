// The stream events of a step, in the order that readers rely on: messages, then the run, then the chat.

import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { wireTime } from '#platform/core/times.ts'
import type { OwnedRow } from '#platform/tenancy/visibility.ts'
import { agentSummaries, loadVersion } from '../../agents/service.ts'
import type { ChatAccess } from '../access.ts'
import { chatDto, messageDto, runDto } from '../dto.ts'
import type { InterruptRow } from '../interrupts/interrupts-store.ts'
import { agentEventDto } from '../loop/agent-events.ts'
import type { Scene } from '../runs/scene.ts'
import * as store from '../store.ts'

/** One event of a stream. `taskId`: the task of the model's turn, whose deltas belong to the message. */
export type ChatEvent =
  | {
      name: 'chat_messages'
      data: object & { id: string }
      runId: string
      role: string
      status: string
      taskId: string | null
    }
  | { name: 'agent_runs'; data: object & { id: string }; state: string }
  /**
   * `agentOwner`: the owner of the agent in the data; readers who may not read the agent receive the chat without it.
   */
  | { name: 'chats'; data: object & { id: string; team_id: string }; agentOwner?: OwnedRow }
  | { name: 'agent_event'; data: object; runId: string }

/** `of`: the access columns of the chat after this change, so that readers are checked without a query. */
export type ChatUpdate = { seq: number; of?: ChatAccess; events?: readonly ChatEvent[] }

export const messageEvent = (
  row: store.MessageRow,
  calls: readonly store.CallRow[],
  chat: store.ChatRow,
): ChatEvent => ({
  name: 'chat_messages',
  data: messageDto(row, calls, chat),
  runId: row.agent_run_id ?? '',
  role: row.role,
  status: row.status,
  taskId: row.task_id,
})

/** The agent as its owner sees it, and its owner; `agentOwner` decides per reader whether it is shown. */
const agentOf = async (ctx: Ctx<Actor>, { agent_id: id }: store.ChatRow) => {
  const owner = id === null ? undefined : await store.findAgentOwner(ctx.db, id)
  if (id === null || !owner) return undefined
  const actor = runActor({ id, ...owner, run_as: { kind: 'all-key-scopes', engine: false, store: false } })
  const agent = (await agentSummaries(ctx.as(actor), [id])).get(id)
  return agent && { agent, owner }
}

const chatEvent = async (
  ctx: Ctx<Actor>,
  { chat, run }: Scene,
  interrupts: readonly InterruptRow[],
): Promise<ChatEvent> => {
  const active = chat.active_run_id === run?.id ? run : undefined
  const found = await agentOf(ctx, chat)
  const version = found && (await loadVersion(ctx.db, chat.agent_version_id))
  const data = chatDto(chat, { run: active ?? undefined, interrupts, agent: found?.agent ?? null, version })
  return { name: 'chats', data, ...(found && { agentOwner: found.owner }) }
}

export const chatEvents = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  messages: readonly store.MessageRow[],
  pending: readonly InterruptRow[],
): Promise<ChatEvent[]> => {
  const { chat, run } = scene
  const calls = [...scene.calls.values()].sort((a, b) => a.position - b.position)
  const events: ChatEvent[] = [...messages]
    .sort((a, b) => a.order - b.order)
    .map((row) =>
      messageEvent(
        row,
        calls.filter((call) => call.chat_message_id === row.id),
        chat,
      ),
    )
  if (run) {
    const at = wireTime(ctx.now())
    for (const event of scene.agentEvents)
      events.push({ name: 'agent_event', data: agentEventDto(event, run, at), runId: run.id })
    for (const intermediateRuns of scene.intermediateRuns)
      events.push({ name: 'agent_runs', data: runDto(intermediateRuns, chat), state: intermediateRuns.state })
    if (scene.runChanged || scene.isNewRun)
      events.push({ name: 'agent_runs', data: runDto(run, chat, pending), state: run.state })
  }
  if (scene.chatChanged) events.push(await chatEvent(ctx, scene, pending))
  return events
}
