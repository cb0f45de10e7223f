// Notices for callers whose work is queued because nothing connected can run it: they say what is missing and how to
// add it. Tasks, steps of flows and tool calls of agents share one text.
import type { Infra } from '@millrace/contract/tasks'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { UnmetRequirement } from '../tasks/service.ts'
import { unmetReason } from './queue-reason.ts'
import { listOfferedWorkers } from './queue-reason-store.ts'
import type { ResourceNeeds } from './resources.ts'
import { findUnmetRequirements, findUnmetRequirementsWithin } from './unmet-requirements-store.ts'

type QueuedNeeds = ResourceNeeds & { team_id: string; user_id: string; infra: string }

export const missingEngine: Record<Infra, string> = {
  cloud: 'no engine of this server is connected',
  private: 'no engine of this workspace is connected',
  private_first: 'neither this workspace nor this server has a connected engine',
}

/** Adds the notice to the answer, once for all tasks with the same requirement. */
export const addUnmetNotice = async (ctx: Ctx<Actor>, unmet: UnmetRequirement, needs: QueuedNeeds): Promise<void> => {
  const { infra } = needs
  const reason =
    unmet === 'engine'
      ? missingEngine[infra as Infra]
      : unmetReason(needs, await listOfferedWorkers(ctx.db, needs)).message
  const message =
    `The run is queued: ${reason}. Start one for this workspace with \`millrace engine start\`` +
    (infra === 'cloud' ? ', and run with infra private_first.' : '.')
  if (ctx.notices.some((notice) => notice.message === message)) return
  ctx.notice({ level: 'warning', code: 'no_engine', message })
}

/** For tasks whose insert did not check the requirements. */
export const addUnmetNotices = async (ctx: Ctx<Actor>, taskIds: readonly string[]): Promise<void> => {
  for (const { unmet, ...needs } of await findUnmetRequirements(ctx.db, taskIds))
    await addUnmetNotice(ctx, unmet, needs)
}

/** For the reader of a flow run or chat: the unmet requirements of everything queued inside it. */
export const addUnmetNoticesWithin = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  for (const { unmet, ...needs } of await findUnmetRequirementsWithin(ctx.db, id))
    await addUnmetNotice(ctx, unmet, needs)
}
