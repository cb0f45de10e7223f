// Runs an agent as the handler of a lifecycle event: in a child chat of the run that fired the event, with the scopes
// of that run. Its own hooks are disabled to prevent recursion. Its result is the answer.
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { hasScope } from '#platform/core/scope-checks.ts'
import { findRunnable } from '../../agents/service.ts'
import { newChatRow } from '../chat-row.ts'
import { contextFor } from '../context.ts'
import { agentDataOf } from '../dto.ts'
import { beginRun } from '../runs/drive.ts'
import { newMessage, sceneOf } from '../runs/scene.ts'
import { insideRun } from '../runs/spans.ts'
import * as store from '../store.ts'
import { depthLimit } from '../tools/perform.ts'
import { hookData } from './hooks.ts'

/** False if the agent cannot be run, which counts as "allow". Runs in the transaction that ends the errand. */
export const startHookAgent = async (ctx: Ctx<Member>, row: store.HookCallRow, handler: string): Promise<boolean> => {
  const parent = await store.findChat(ctx.db, row.chat_id)
  const listening = await store.findRun(ctx.db, row.run_id)
  if (!parent || !listening || parent.depth >= depthLimit) return false
  if (!hasScope(ctx.actor, 'agents:execute')) return false
  try {
    const { agent, version } = await findRunnable(ctx, handler)
    if (!version.config.core_app) return false
    const chat = newChatRow(ctx, {
      teamId: parent.team_id,
      userId: listening.user_id,
      visibility: parent.visibility,
      name: row.event,
      agentId: agent.id,
      versionId: version.id,
      context: contextFor(version.config.context, parent.context as Record<string, string>),
      parent,
      agentData: { allow_all_tools: agentDataOf(parent).allow_all_tools, disable_hooks: true },
    })
    const scene = sceneOf(chat, version)
    const text = JSON.stringify(hookData(row).payload)
    const draft = { role: 'user', status: 'ready' as const, content: [{ type: 'text', text }] }
    const message = newMessage(ctx, scene, { ...draft, userId: listening.user_id, runId: null })
    await beginRun(ctx, scene, {
      userId: listening.user_id,
      runAs: listening.run_as,
      startedBy: { kind: 'run', id: listening.id },
      userMessageId: message.id,
      triggerId: listening.trigger_id,
      traceparent: insideRun(ctx.tracing, listening),
      ...(row.is_waited_for && { hookCallId: row.id }),
    })
    return true
  } catch (error) {
    if (!isFailure(error)) throw error
    ctx.log.warn({ chat: parent.id, event: row.event, detail: error.message }, 'a hook could not run its agent')
    return false
  }
}
