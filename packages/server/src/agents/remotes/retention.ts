// Commands that ended a while ago go for good, with what they printed. A workspace that keeps more than its share loses the
// output of its oldest commands first; while those that run hold all of it, nothing new is begun.
import type { Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { deleteEndedBefore } from './exec-store.ts'
import { dropOldest, fullTeams, keptCost } from './output-store.ts'
import { forgetSessions } from './session-store.ts'

const dayMs = 24 * 3600_000
const batch = 50

export const forgetOldRuns = async ({ db, now, settings }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - settings.EXEC_KEEP_DAYS * dayMs).toISOString()
  for (let gone = batch; gone === batch; ) gone = await deleteEndedBefore(db, before, batch)
  for (let gone = batch; gone === batch; ) gone = await forgetSessions(db, batch)
}

const mebibyte = 1024 * 1024

/** False when what is left belongs to commands that still run. */
const trim = async ({ db, settings }: Pick<Platform, 'db' | 'settings'>, teamId: string): Promise<boolean> => {
  const limit = settings.EXEC_TEAM_OUTPUT_MB * mebibyte
  for (;;) {
    const excess = (await keptCost(db, teamId)) - limit
    if (excess <= 0) return true
    if ((await dropOldest(db, teamId, excess)) === 0) return false
  }
}

/** Before another command begins. */
export const makeRoom = async (ctx: Pick<Platform, 'db' | 'settings'>, teamId: string): Promise<void> => {
  if (await trim(ctx, teamId)) return
  const detail = `Commands that still run have printed more than the ${ctx.settings.EXEC_TEAM_OUTPUT_MB} MiB that a workspace keeps`
  throw fail('invalid_state', detail)
}

export const trimOutputs = async (platform: Platform): Promise<void> => {
  for (const { team_id: teamId } of await fullTeams(platform.db, platform.settings.EXEC_TEAM_OUTPUT_MB * mebibyte))
    await trim(platform, teamId)
}
