// Whoever waits because nothing that is connected can take their task is told so: what is missing, and how to add it. The
// same words for a task of its own, for a step of a flow and for what an agent asks.
import type { Infra } from '@millrace/contract/tasks'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { Lack } from '../tasks/service.ts'
import { findLacks, findLacksWithin } from './lacks-store.ts'
import { type Needs, needsInWords } from './resources.ts'

type Waiting = Needs & { infra: string }

const missing: Record<Infra, string> = {
  cloud: 'no engine of this server is connected',
  private: 'no engine of this workspace is connected',
  private_first: 'neither this workspace nor this server has an engine that is connected',
}

/** Said with a run that can only wait. Many tasks that wait for the same say it once. */
export const tellLack = (ctx: Ctx<Actor>, lack: Lack, { infra, ...needs }: Waiting): void => {
  const reason =
    lack === 'engine' ? missing[infra as Infra] : `no connected engine has a worker with ${needsInWords(needs)}`
  const message =
    `The run waits: ${reason}. Start one for this workspace with \`millrace engine start\`` +
    (infra === 'cloud' ? ', and run with infra private_first.' : '.')
  if (ctx.notices.some((told) => told.message === message)) return
  ctx.notice({ level: 'warning', code: 'no_engine', message })
}

/** For tasks that were written without a look at who could take them. */
export const tellLacksOf = async (ctx: Ctx<Actor>, taskIds: readonly string[]): Promise<void> => {
  for (const { lack, ...waiting } of await findLacks(ctx.db, taskIds)) tellLack(ctx, lack, waiting)
}

/** For a flow run or a chat that somebody looks at: what waits in it, however deep. */
export const tellLacksWithin = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  for (const { lack, ...waiting } of await findLacksWithin(ctx.db, id)) tellLack(ctx, lack, waiting)
}
