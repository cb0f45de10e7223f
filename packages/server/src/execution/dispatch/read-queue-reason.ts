// Reads why a queued run waits, for the readers of the run.
import type { Infra, QueueReason } from '@millrace/contract/tasks'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { WaitingTask } from '../tasks/extension-points.ts'
import { queueReasonOf } from './queue-reason.ts'
import { countAhead, listOfferedWorkers } from './queue-reason-store.ts'
import { slotsOf } from './slots.ts'
import { missingEngine } from './unmet-requirements.ts'

export const readQueueReason = async (ctx: Ctx<Actor>, task: WaitingTask): Promise<QueueReason | null> => {
  const now = ctx.now()
  // A scheduled run waits for its time.
  if (Date.parse(task.available_at) > now.getTime()) return null
  const offers = await listOfferedWorkers(ctx.db, task)
  if (offers.length === 0) return { code: 'no_engine', message: missingEngine[task.infra as Infra] }
  if (task.session_id !== null)
    return { code: 'session', message: 'the session runs one run at a time, and its worker is busy' }
  if (task.workers.length > 0)
    return { code: 'workers', message: 'the workers that the run names are busy or not connected' }
  if ((await slotsOf(ctx, [task.team_id])).get(task.team_id) === 0)
    return { code: 'concurrency', message: 'the workspace has as many runs at once as its plan allows' }
  return queueReasonOf(task, offers, await countAhead(ctx.db, task, now.toISOString()))
}
