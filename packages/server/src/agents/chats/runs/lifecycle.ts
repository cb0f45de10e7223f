// Advances runs without a caller: in the transaction that ends a task they wait for, in the job that settles an ended
// run, and in the sweep that repairs stuck runs.
import { isRecord } from '@millrace/contract/json'
import { taskStatus } from '@millrace/contract/task-status'
import type { EndedTask, TaskEndedListener } from '#execution/tasks/extension-points.ts'
import { cancelRow } from '#execution/tasks/service.ts'
import { type Actor, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import type { JobHandler } from '#platform/jobs/jobs.ts'
import { answerOfTask, applyHandlerAnswer } from '../hooks/hooks.ts'
import type { CallEnd, LoopEvent } from '../loop/decide.ts'
import { contentOf, readAnswer } from '../loop/model-answer.ts'
import * as store from '../store.ts'
import { applyModelAnswer } from './apply-model-answer.ts'
import { deliverCallResult, drive, isAdvancing, resume } from './drive.ts'
import { putSummary } from './model.ts'
import { saveScene } from './save-scene.ts'
import { changeMessage, openScene, runOf, type Scene } from './scene.ts'
import { findAbandoned, findLeftovers, findLiveChatsOf, findStuckRuns } from './sweep-store.ts'

export const stopRunJob = 'chats.stop_run'

type TaskEnd = Pick<EndedTask, 'id' | 'status' | 'output' | 'error'>

/** A lost worker or server, as opposed to an error of the model. */
const isLost = (error: string): boolean => /^(worker_lost|The engine did not answer)/.test(error)

const reactToModel = async (ctx: Ctx<Actor>, scene: Scene, task: TaskEnd): Promise<LoopEvent[]> => {
  const run = runOf(scene)
  if (run.model_task_id !== task.id) return []
  if (task.status === taskStatus.completed) {
    const answer = readAnswer(task.output)
    if (run.phase !== 'compacting') return [await applyModelAnswer(ctx, scene, answer)]
    await putSummary(ctx, scene, answer.text)
    return [{ type: 'compacted' }]
  }
  const error =
    task.error || (task.status === taskStatus.cancelled ? 'The model’s task was canceled' : 'The model failed')
  return [{ type: 'model_failed', error, isLost: isLost(task.error) }]
}

const endOfCall = (task: TaskEnd, sessionId: string | null): CallEnd => {
  if (task.status === taskStatus.cancelled) return { status: 'cancelled', result: 'The task was canceled' }
  if (task.status === taskStatus.failed) return { status: 'failed', result: task.error || 'The task failed' }
  const output = sessionId !== null && isRecord(task.output) ? { ...task.output, session_id: sessionId } : task.output
  return { status: 'completed', result: typeof output === 'string' ? output : JSON.stringify(output ?? null) }
}

type ChatTask = TaskEnd & Partial<Pick<EndedTask, 'session_id' | 'chat_id' | 'flow_run_id'>>

/** The events that the end of this task causes in the chat's active run; empty if the run does not wait for it. */
const reactTo = (ctx: Ctx<Actor>, scene: Scene, task: ChatTask): LoopEvent[] | Promise<LoopEvent[]> => {
  if (runOf(scene).model_task_id === task.id) return reactToModel(ctx, scene, task)
  const isOfTask = ({ execution_id }: { execution_id: string | null }) => execution_id === task.id
  const call = [...scene.calls.values()].find(isOfTask)
  if (call) return [{ type: 'call_ended', callId: call.id, ended: endOfCall(task, task.session_id ?? null) }]
  const hook = [...scene.hookCalls.values()].find(isOfTask)
  return hook
    ? applyHandlerAnswer(ctx, scene, hook.id, answerOfTask(task.output, task.status !== taskStatus.completed))
    : []
}

const applyTaskEnd = async (ctx: Ctx<Actor>, task: ChatTask): Promise<void> => {
  const waiting = await store.findWaitingFor(ctx.db, task.id)
  if (!waiting) return stopRepresentedRun(ctx, task)
  const { chat_id: chatId, run_id: runId, id } = waiting
  if (waiting.kind === 'call') {
    await deliverCallResult(ctx, { chatId, runId, id }, endOfCall(task, task.session_id ?? null))
    return
  }
  await resume(ctx, chatId, runId, (scene) =>
    waiting.kind === 'model'
      ? reactToModel(ctx, scene, task)
      : applyHandlerAnswer(ctx, scene, id, answerOfTask(task.output, task.status !== taskStatus.completed)),
  )
}

/** A canceled flow cancels the task that represents an agent's run; a job then stops the run. */
const stopRepresentedRun = async (ctx: Ctx<Actor>, task: TaskEnd & { chat_id?: string | null }): Promise<void> => {
  const chatId = task.chat_id ?? ''
  if (task.status !== taskStatus.cancelled || !(await store.findRepresentedRun(ctx.db, chatId, task.id))) return
  await ctx.jobs.add(ctx.db, stopRunJob, { chat_id: chatId })
}

/** The text that was received before a stop stays in its message. */
const addStoppedText = async (ctx: Ctx<Actor>, scene: Scene, task: TaskEnd): Promise<void> => {
  if (!isRecord(task.output)) return
  const message = await store.findStoppedMessage(ctx.db, scene.chat.id, task.id)
  if (!message) return
  scene.messages.set(message.id, message)
  changeMessage(scene, message.id, { content: contentOf({ ...readAnswer(task.output), calls: [] }) })
  await saveScene(ctx, scene)
}

/**
 * Called inside the transaction that ends a task of a chat. The waiting run is found in the locked chat, unless this
 * transaction is already advancing it. A task that represents a run in a flow is looked up without locking the chat,
 * because the holder of that lock may wait for the flow's lock.
 */
export const chatTaskEnded: TaskEndedListener = {
  concerns: ({ chat_id }) => chat_id !== null,
  run: async (ctx, task) => {
    const { chat_id: chatId, flow_run_id: flowRunId } = task
    if (chatId === null || flowRunId !== null || isAdvancing(ctx, chatId)) return applyTaskEnd(ctx, task)
    const scene = await openScene(ctx, chatId)
    if (scene && task.status === taskStatus.cancelled) await addStoppedText(ctx, scene, task)
    if (scene?.run) await drive(ctx, scene, await reactTo(ctx, scene, task))
  },
}

/** Stops a run under the lock of its chat. `ofUser`: only if the run belongs to this person. */
export const stopRun = async (ctx: Ctx<Actor>, chatId: string, ofUser?: string): Promise<void> => {
  const scene = await openScene(ctx, chatId)
  if (scene?.run && (ofUser === undefined || scene.run.user_id === ofUser))
    await drive(ctx, scene, [{ type: 'stopped' }])
}

/**
 * Stops the runs of a person who left the workspace: a webhook or form of that person must not steer a run there. Uses
 * jobs, because the chats may be locked.
 */
export const stopRunsOf = async (ctx: Ctx<Actor>, teamId: string, userId: string): Promise<void> => {
  for (const chatId of await findLiveChatsOf(ctx.db, teamId, userId))
    await ctx.jobs.add(ctx.db, stopRunJob, { chat_id: chatId, user_id: userId })
}

export const stopRunLater =
  (platform: Platform): JobHandler =>
  (payload) =>
    createCtx(platform, system).tx((ctx) =>
      stopRun(ctx, String(payload.chat_id ?? ''), payload.user_id === undefined ? undefined : String(payload.user_id)),
    )

const settle = async (ctx: Ctx<Actor>, runId: string, unannounced: readonly string[] = []): Promise<void> => {
  const { tasks, chats } = await findLeftovers(ctx.db, runId)
  for (const taskId of [...tasks, ...unannounced]) await cancelRow(ctx, taskId)
  for (const chatId of chats) await ctx.tx((ctx) => stopRun(ctx, chatId))
}

/** Cancels the tasks of an ended run that are no longer needed, and stops its children. Each in its own transaction. */
export const settleRun =
  (platform: Platform): JobHandler =>
  (payload) =>
    settle(
      createCtx(platform, system),
      String(payload.run_id ?? ''),
      Array.isArray(payload.tasks) ? payload.tasks.map(String) : [],
    )

const sweepBatch = 100
/** Long enough for pending transactions to commit or fail. */
const settledAfterMs = 30_000

const catchUp = async (ctx: Ctx<Actor>, stuck: Awaited<ReturnType<typeof findStuckRuns>>[number]): Promise<void> => {
  if (stuck.task_id !== null && stuck.status !== null) {
    const { task_id: id, status, output, error } = stuck
    await applyTaskEnd(ctx, { id, status, output, error: error ?? '' })
    return
  }
  await resume(ctx, stuck.chat_id, stuck.run_id, () => [
    { type: 'model_failed', error: 'The model’s task no longer exists', isLost: false },
  ])
}

/** Advances runs that missed an event. Failures affect only their own run. */
export const sweep = async (platform: Platform): Promise<void> => {
  const ctx = createCtx(platform, system)
  const help = async (id: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) =>
      platform.log.error({ err: error, run: id }, 'a stuck agent run could not be advanced'),
    )
  }
  const before = new Date(ctx.now().getTime() - settledAfterMs).toISOString()
  for (const stuck of await findStuckRuns(ctx.db, before, sweepBatch)) {
    platform.log.warn({ run: stuck.run_id }, 'a stuck agent run was advanced')
    await help(stuck.run_id, () => ctx.tx((ctx) => catchUp(ctx, stuck)))
  }
  for (const runId of await findAbandoned(ctx.db, before, sweepBatch)) await help(runId, () => settle(ctx, runId))
}
