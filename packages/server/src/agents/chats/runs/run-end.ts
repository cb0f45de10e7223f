// The end of a run: its final state in the chat, and its result for callers that wait for it.
import type { ContentItem, RunState } from '@millrace/contract/chats'
import { taskStatus } from '@millrace/contract/task-status'
import { removeExpiry } from '#automation/triggers/service.ts'
import { move, unwantedSubject } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { wireTime } from '#platform/core/times.ts'
import { notifyHooks } from '../hooks/hooks.ts'
import type { CallEnd } from '../loop/decide.ts'
import * as store from '../store.ts'
import { isFinish } from './loop-state.ts'
import {
  changeCall,
  changeChat,
  changeMessage,
  changeRun,
  currentCalls,
  isCallOver,
  pendingInterrupts,
  putInterrupt,
  runOf,
  type Scene,
} from './scene.ts'

/** Lists contain the error of each chat. */
const maxErrorLength = 500

/** Ends the run's calls, interrupts and unfinished message with it. */
export const endRun = async (ctx: Ctx<Actor>, scene: Scene, state: RunState, error: string): Promise<void> => {
  const run = runOf(scene)
  const now = wireTime(ctx.now())
  const hasFinished = currentCalls(scene).some((call) => isFinish(scene, call) && call.status === 'completed')
  for (const call of scene.calls.values())
    if (!isCallOver(call)) changeCall(scene, call.id, { status: 'cancelled', result: 'The run was stopped.' })
  for (const interrupt of pendingInterrupts(scene)) {
    putInterrupt(scene, { ...interrupt, status: 'cancelled' })
    if (interrupt.expires_at !== null) await removeExpiry(ctx, interrupt.id)
  }
  const message = scene.messages.get(run.message_id ?? '')
  if (message?.status === 'pending') {
    const isStopped = state === 'canceled'
    // The text received so far is added when the task ends.
    if (message.task_id !== null) ctx.emit({ subject: unwantedSubject, data: { taskId: message.task_id } })
    const content: ContentItem[] = [
      ...(message.content as ContentItem[]),
      ...(isStopped ? [] : [{ type: 'text' as const, error: error || 'The run ended' }]),
    ]
    changeMessage(scene, message.id, { status: isStopped ? 'cancelled' : 'failed', content })
  }
  if (state === 'failed') {
    scene.agentEvents.push({ type: 'error', payload: { message: error } })
    await notifyHooks(ctx, scene, { event: 'agent.error', data: { error } })
  }
  if (state === 'completed')
    await notifyHooks(ctx, scene, { event: 'agent.complete', data: { output: scene.chat.output } })
  await notifyHooks(ctx, scene, { event: 'agent.idle' })
  for (const hook of scene.hookCalls.values())
    if (hook.is_waited_for) {
      scene.settledHooks.push(hook.id)
      if (hook.status === 'pending' && hook.execution_id !== null) scene.unneededTasks.push(hook.execution_id)
    }
  changeRun(scene, { state, error, finished_at: now, ...(hasFinished && { output: scene.chat.output }) })
  changeChat(scene, {
    active_run_id: null,
    status: hasFinished && state === 'completed' ? 'completed' : 'idle',
    last_error: state === 'failed' || state === 'rejected' ? (error || 'The run failed').slice(0, maxErrorLength) : '',
  })
}

/** The result of the run: its output, or its last message. */
export const resultOf = async (ctx: Ctx<Actor>, scene: Scene, run: store.RunRow): Promise<unknown> =>
  run.output ?? lastText(ctx, scene, run)

const lastText = async (ctx: Ctx<Actor>, scene: Scene, run: store.RunRow): Promise<string> => {
  const message = scene.messages.get(run.message_id ?? '') ?? (await store.findMessage(ctx.db, run.message_id ?? ''))
  return ((message?.content ?? []) as ContentItem[])
    .filter(({ type }) => type === 'text')
    .map(({ text = '' }) => text)
    .join('\n')
}

/** The result of the run as a call of its parent. */
export const callEndOf = (run: store.RunRow, result: unknown): CallEnd => {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  if (run.state === 'completed') return { status: 'completed', result: text }
  return {
    status: run.state === 'canceled' ? 'cancelled' : 'failed',
    result: run.error || text || `The agent’s run ended as ${run.state}`,
  }
}

/** The task that represents the run ends like the run. */
export const endTask = async (ctx: Ctx<Actor>, run: store.RunRow, result: unknown): Promise<void> => {
  const endings: Partial<Record<string, number>> = {
    completed: taskStatus.completed,
    canceled: taskStatus.cancelled,
  }
  const to = endings[run.state] ?? taskStatus.failed
  await move(ctx, run.task_id ?? '', { fence: null, to, output: result, ...(run.error !== '' && { error: run.error }) })
}
