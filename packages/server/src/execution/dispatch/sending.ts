// Sends tasks to the workers they were given to, from the server that holds the engine's socket: what the engine then says
// comes there, so that one server tells the whole story, in order, and knows beforehand what the end of a task sets in motion.
import type { Actor } from '#platform/core/actor.ts'
import { system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { engineFrames, rememberSent, reportStatus, type SentTask } from '../tasks/service.ts'
import { runFrame } from './run-frame.ts'
import * as store from './store.ts'
import { type PlacedTask, placedSubject } from './subjects.ts'

/** An engine answers a task at once; one that did not for this long may not have got it. */
const overdueMs = 4_000

export type Sending = { stop(): Promise<void> }

/** For as long as this server holds the engine's socket. Nobody waits for a frame: making it may ask a service for a token. */
export const sendPlaced = (platform: Platform, engineId: string): Sending => {
  const underWay = new Set<Promise<void>>()
  const unsubscribe = platform.bus.subscribe(placedSubject(engineId), (placed) => {
    const sent = send(createCtx(platform, system), engineId, placed)
      .catch((error: unknown) => platform.log.error({ err: error, task: placed.task.id }, 'a task could not be sent'))
      .finally(() => underWay.delete(sent))
    underWay.add(sent)
  })
  return {
    stop: async () => {
      unsubscribe()
      await Promise.all(underWay)
    },
  }
}

const send = async (ctx: Ctx<Actor>, engineId: string, { task, public_key }: PlacedTask): Promise<void> => {
  rememberSent(ctx, task)
  reportStatus(ctx, task)
  const frame = await runFrame(ctx, task, { public_key })
  if (frame) ctx.emit({ subject: engineFrames(engineId), data: frame })
}

/** A frame that was lost between two servers is sent again by the one that holds the engine's socket. */
export const resendOverdue = async (platform: Platform): Promise<void> => {
  const before = new Date(platform.now().getTime() - overdueMs).toISOString()
  const engines = await store.findEnginesNotAnswering(platform.db, platform.server.id, before)
  for (const { id } of engines) await resendUnaccepted(platform, id)
}

/** What was sent to an engine that then could not be reached is sent again; an engine takes one attempt only once. */
export const resendUnaccepted = async (platform: Platform, engineId: string): Promise<void> => {
  const ctx = createCtx(platform, system)
  const send = async (task: SentTask & { public_key: string }): Promise<void> => {
    const frame = await runFrame(ctx, task, task)
    if (frame) ctx.emit({ subject: engineFrames(engineId), data: frame })
  }
  // Together: one that waits for somebody's token must not hold up the others.
  await Promise.all((await store.findUnaccepted(ctx.db, engineId)).map(send))
}
