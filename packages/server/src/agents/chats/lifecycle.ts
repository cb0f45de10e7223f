// How runs go on by themselves: in the transaction that ends a task they wait for, by the job that settles what an ended
// run leaves behind, and by the sweep that finds what should not exist: a run with nothing to wait for.
import { isRecord } from '@millrace/contract/json'
import { taskStatus } from '@millrace/contract/task-status'
import type { EndedTask, TaskEndedListener } from '#execution/tasks/extension-points.ts'
import { cancelRow } from '#execution/tasks/service.ts'
import { type Actor, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import type { JobHandler } from '#platform/jobs/jobs.ts'
import { drive, isDriven, resume, takeCallEnd } from './drive.ts'
import { answerOfTask, takeHandlerAnswer } from './hooks.ts'
import type { Ended, Happened } from './loop/decide.ts'
import { readAnswer } from './loop/model-answer.ts'
import { putSummary } from './model.ts'
import { openScene, runOf, type Scene } from './scene.ts'
import * as store from './store.ts'
import { findAbandoned, findLeftovers, findLiveChatsOf, findStuckRuns } from './sweep-store.ts'
import { takeModelAnswer } from './take-answer.ts'

export const stopRunJob = 'chats.stop_run'

type TaskEnd = Pick<EndedTask, 'id' | 'status' | 'output' | 'error'>

/** A machine that was lost, or a server: the model said nothing wrong. */
const isLost = (error: string): boolean => /^(worker_lost|The engine did not answer)/.test(error)

const reactToModel = async (ctx: Ctx<Actor>, scene: Scene, task: TaskEnd): Promise<Happened[]> => {
  const run = runOf(scene)
  if (run.model_task_id !== task.id) return []
  if (task.status === taskStatus.completed) {
    const answer = readAnswer(task.output)
    if (run.phase !== 'compacting') return [await takeModelAnswer(ctx, scene, answer)]
    await putSummary(ctx, scene, answer.text)
    return [{ type: 'compacted' }]
  }
  const error =
    task.error || (task.status === taskStatus.cancelled ? 'The model’s task was cancelled' : 'The model failed')
  return [{ type: 'model_failed', error, isLost: isLost(task.error) }]
}

const endOfCall = (task: TaskEnd, sessionId: string | null): Ended => {
  if (task.status === taskStatus.cancelled) return { status: 'cancelled', result: 'The task was cancelled' }
  if (task.status === taskStatus.failed) return { status: 'failed', result: task.error || 'The task failed' }
  const output = sessionId !== null && isRecord(task.output) ? { ...task.output, session_id: sessionId } : task.output
  return { status: 'completed', result: typeof output === 'string' ? output : JSON.stringify(output ?? null) }
}

type ChatTask = TaskEnd & Partial<Pick<EndedTask, 'session_id' | 'chat_id' | 'flow_run_id'>>

/** What the active run of a chat waits for this task for; empty when for nothing. */
const reactTo = (ctx: Ctx<Actor>, scene: Scene, task: ChatTask): Happened[] | Promise<Happened[]> => {
  if (runOf(scene).model_task_id === task.id) return reactToModel(ctx, scene, task)
  const isOurs = ({ execution_id }: { execution_id: string | null }) => execution_id === task.id
  const call = [...scene.calls.values()].find(isOurs)
  if (call) return [{ type: 'call_ended', callId: call.id, ended: endOfCall(task, task.session_id ?? null) }]
  const hook = [...scene.hookCalls.values()].find(isOurs)
  return hook
    ? takeHandlerAnswer(ctx, scene, hook.id, answerOfTask(task.output, task.status !== taskStatus.completed))
    : []
}

const takeTaskEnd = async (ctx: Ctx<Actor>, task: ChatTask): Promise<void> => {
  const waiting = await store.findWaiting(ctx.db, task.id)
  if (!waiting) return stopStoodFor(ctx, task)
  const { chat_id: chatId, run_id: runId, id } = waiting
  if (waiting.kind === 'call') {
    await takeCallEnd(ctx, { chatId, runId, id }, endOfCall(task, task.session_id ?? null))
    return
  }
  await resume(ctx, chatId, runId, (scene) =>
    waiting.kind === 'model'
      ? reactToModel(ctx, scene, task)
      : takeHandlerAnswer(ctx, scene, id, answerOfTask(task.output, task.status !== taskStatus.completed)),
  )
}

/** A flow that is cancelled cancels the task that stands for an agent's run: the run is stopped after it, by a job. */
const stopStoodFor = async (ctx: Ctx<Actor>, task: TaskEnd & { chat_id?: string | null }): Promise<void> => {
  const chatId = task.chat_id ?? ''
  if (task.status !== taskStatus.cancelled || !(await store.findStoodFor(ctx.db, chatId, task.id))) return
  await ctx.jobs.add(ctx.db, stopRunJob, { chat_id: chatId })
}

/**
 * Called inside the transaction that ends a task of a chat. Whoever waits for it is found in the chat itself, unless that is
 * being changed at this moment; a task that stands for a run in a flow is looked up without the chat's lock, which the
 * flow's own may be waiting behind.
 */
export const chatTaskEnded: TaskEndedListener = {
  concerns: ({ chat_id }) => chat_id !== null,
  run: async (ctx, task) => {
    const { chat_id: chatId, flow_run_id: flowRunId } = task
    if (chatId === null || flowRunId !== null || isDriven(ctx.db, chatId)) return takeTaskEnd(ctx, task)
    const scene = await openScene(ctx, chatId)
    if (scene?.run) await drive(ctx, scene, await reactTo(ctx, scene, task))
  },
}

/** Stops a run, whoever asks for it. The lock is the chat's own. `ofUser`: only while it is this person's. */
export const stopRun = async (ctx: Ctx<Actor>, chatId: string, ofUser?: string): Promise<void> => {
  const scene = await openScene(ctx, chatId)
  if (scene?.run && (ofUser === undefined || scene.run.user_id === ofUser))
    await drive(ctx, scene, [{ type: 'stopped' }])
}

/**
 * An agent that waits for somebody's webhook or form goes on as its answers say: who is no longer in the workspace must not
 * steer one there. By jobs, because the chats are locked by whoever works in them.
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

const settle = async (ctx: Ctx<Actor>, runId: string, unheard: readonly string[] = []): Promise<void> => {
  const { tasks, chats } = await findLeftovers(ctx.db, runId)
  for (const taskId of [...tasks, ...unheard]) await cancelRow(ctx, taskId)
  for (const chatId of chats) await ctx.tx((ctx) => stopRun(ctx, chatId))
}

/** What an ended run leaves behind: tasks that nobody waits for, and children. Each in a transaction of its own. */
export const settleRun =
  (platform: Platform): JobHandler =>
  (payload) =>
    settle(
      createCtx(platform, system),
      String(payload.run_id ?? ''),
      Array.isArray(payload.tasks) ? payload.tasks.map(String) : [],
    )

const sweepBatch = 100
/** Long enough that whatever is under way has committed or is gone. */
const settledAfterMs = 30_000

const catchUp = async (ctx: Ctx<Actor>, stuck: Awaited<ReturnType<typeof findStuckRuns>>[number]): Promise<void> => {
  if (stuck.task_id !== null && stuck.status !== null) {
    const { task_id: id, status, output, error } = stuck
    await takeTaskEnd(ctx, { id, status, output, error: error ?? '' })
    return
  }
  await resume(ctx, stuck.chat_id, stuck.run_id, () => [
    { type: 'model_failed', error: 'The model’s task is gone', isLost: false },
  ])
}

/** The safety net. Each run is helped by itself. */
export const sweep = async (platform: Platform): Promise<void> => {
  const ctx = createCtx(platform, system)
  const help = async (id: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => platform.log.error({ err: error, run: id }, 'an agent run is stuck'))
  }
  const before = new Date(ctx.now().getTime() - settledAfterMs).toISOString()
  for (const stuck of await findStuckRuns(ctx.db, before, sweepBatch)) {
    platform.log.warn({ run: stuck.run_id }, 'an agent run had stopped and is moved on')
    await help(stuck.run_id, () => ctx.tx((ctx) => catchUp(ctx, stuck)))
  }
  for (const runId of await findAbandoned(ctx.db, before, sweepBatch)) await help(runId, () => settle(ctx, runId))
}
