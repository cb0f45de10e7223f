// Notices for callers whose work is queued because nothing connected can run it: they say what is missing and how to
// add it. Tasks, steps of flows and tool calls of agents share one text.
import type { Infra } from '@millrace/contract/tasks'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { UnmetRequirement } from '../tasks/service.ts'
import { type Needs, needsInWords } from './resources.ts'
import { findUnmetRequirements, findUnmetRequirementsWithin } from './unmet-requirements-store.ts'

type QueuedNeeds = Needs & { infra: string }

const missing: Record<Infra, string> = {
  cloud: 'no engine of this server is connected',
  private: 'no engine of this workspace is connected',
  private_first: 'neither this workspace nor this server has a connected engine',
}

/** Adds the notice to the answer, once for all tasks with the same requirement. */
export const addUnmetNotice = (
  ctx: Ctx<Actor>,
  unmet: UnmetRequirement,
  { infra, ...resources }: QueuedNeeds,
): void => {
  const reason =
    unmet === 'engine' ? missing[infra as Infra] : `no connected engine has a worker with ${needsInWords(resources)}`
  const message =
    `The run is queued: ${reason}. Start one for this workspace with \`millrace engine start\`` +
    (infra === 'cloud' ? ', and run with infra private_first.' : '.')
  if (ctx.notices.some((notice) => notice.message === message)) return
  ctx.notice({ level: 'warning', code: 'no_engine', message })
}

/** For tasks whose insert did not check the requirements. */
export const addUnmetNotices = async (ctx: Ctx<Actor>, taskIds: readonly string[]): Promise<void> => {
  for (const { unmet, ...needs } of await findUnmetRequirements(ctx.db, taskIds)) addUnmetNotice(ctx, unmet, needs)
}

/** For the reader of a flow run or chat: the unmet requirements of everything queued inside it. */
export const addUnmetNoticesWithin = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  for (const { unmet, ...needs } of await findUnmetRequirementsWithin(ctx.db, id)) addUnmetNotice(ctx, unmet, needs)
}
