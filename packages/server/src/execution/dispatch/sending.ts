// Sends assigned tasks from the server that holds the engine's socket. That server also receives the engine's reports,
// so it publishes all changes in order and knows in advance what effects the end of a task has.
import type { Actor } from '#platform/core/actor.ts'
import { system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { addSent, engineFrames, reportStatus, type SentTask } from '../tasks/service.ts'
import { runFrame } from './run-frame.ts'
import * as store from './store.ts'
import { type PlacedTask, placedSubject } from './subjects.ts'

/** An engine acknowledges a task immediately; after this time the frame is assumed lost. */
const overdueMs = 4_000

export type TaskSender = { stop(): Promise<void> }

/**
 * Runs for as long as this server holds the engine's socket. Frames are built concurrently, because building one may
 * request a token from a service.
 */
export const sendPlaced = (platform: Platform, engineId: string): TaskSender => {
  const pending = new Set<Promise<void>>()
  const unsubscribe = platform.bus.subscribe(placedSubject(engineId), (placed) => {
    const sent = send(createCtx(platform, system), engineId, placed)
      .catch((error: unknown) => platform.log.error({ err: error, task: placed.task.id }, 'could not send a task'))
      .finally(() => pending.delete(sent))
    pending.add(sent)
  })
  return {
    stop: async () => {
      unsubscribe()
      await Promise.all(pending)
    },
  }
}

const send = async (ctx: Ctx<Actor>, engineId: string, { task, public_key }: PlacedTask): Promise<void> => {
  addSent(ctx, task)
  reportStatus(ctx, task)
  const frame = await runFrame(ctx, task, { public_key })
  if (frame) ctx.emit({ subject: engineFrames(engineId), data: frame })
}

/** Resends frames that were lost between two servers, from the server that holds the engine's socket. */
export const resendOverdue = async (platform: Platform): Promise<void> => {
  const before = new Date(platform.now().getTime() - overdueMs).toISOString()
  const engines = await store.findEnginesNotAnswering(platform.db, platform.server.id, before)
  for (const { id } of engines) await resendUnaccepted(platform, id)
}

/**
 * Resends tasks that a temporarily unreachable engine did not acknowledge. An engine ignores an attempt that it already
 * has.
 */
export const resendUnaccepted = async (platform: Platform, engineId: string): Promise<void> => {
  const ctx = createCtx(platform, system)
  const send = async (task: SentTask & { public_key: string }): Promise<void> => {
    const frame = await runFrame(ctx, task, task)
    if (frame) ctx.emit({ subject: engineFrames(engineId), data: frame })
  }
  // Concurrently, so that a slow token request does not delay the others.
  await Promise.all((await store.findUnaccepted(ctx.db, engineId)).map(send))
}
