// What a step says to streams, in the order that readers rely on: messages, then the run, then the chat.
import { agentSummaries } from '../agents/service.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { runActor } from '../core/run-actor.ts'
import { wireTime } from '../core/times.ts'
import { chatDto, messageDto, runDto } from './dto.ts'
import type { InterruptRow } from './interrupts-store.ts'
import { agentEventDto } from './loop/agent-events.ts'
import type { Scene } from './scene.ts'
import type * as store from './store.ts'

/** One thing that a stream shows. `taskId`: of the model's turn, whose deltas belong to the message. */
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
  | { name: 'chats'; data: object & { id: string } }
  | { name: 'agent_event'; data: object; runId: string }

export type ChatNews = { seq: number; events?: readonly ChatEvent[] }

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

/** The agent as the owner of the chat may see it. */
export const agentOf = async (ctx: Ctx<Actor>, chat: store.ChatRow) => {
  if (chat.agent_id === null) return null
  const owner = runActor({ ...chat, run_as: { kind: 'all-key-scopes', engine: false, store: false } })
  return (await agentSummaries(ctx.as(owner), [chat.agent_id])).get(chat.agent_id) ?? null
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
    for (const passed of scene.passed)
      events.push({ name: 'agent_runs', data: runDto(passed, chat), state: passed.state })
    if (scene.runChanged || scene.isNewRun)
      events.push({ name: 'agent_runs', data: runDto(run, chat, pending), state: run.state })
  }
  if (scene.chatChanged) {
    const agent = await agentOf(ctx, chat)
    const active = chat.active_run_id === run?.id ? run : undefined
    const version = agent ? scene.version : undefined
    events.push({
      name: 'chats',
      data: chatDto(chat, { run: active ?? undefined, interrupts: pending, agent, version }),
    })
  }
  return events
}
