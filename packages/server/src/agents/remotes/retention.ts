// Deletes commands some time after they ended, with their output. If a workspace exceeds its output limit, the output
// of its oldest commands is deleted first; if running commands use up the limit, no new command starts.
import type { Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { deleteEndedBefore } from './exec-store.ts'
import { dropOldest, fullTeams, storedCost } from './output-store.ts'
import { deleteSessions } from './session-store.ts'

const dayMs = 24 * 3600_000
const batch = 50

export const deleteOldRuns = async ({ db, now, settings }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - settings.EXEC_KEEP_DAYS * dayMs).toISOString()
  for (let deleted = batch; deleted === batch; ) deleted = await deleteEndedBefore(db, before, batch)
  for (let deleted = batch; deleted === batch; ) deleted = await deleteSessions(db, batch)
}

const mebibyte = 1024 * 1024

/** False if the rest belongs to running commands. */
const trim = async ({ db, settings }: Pick<Platform, 'db' | 'settings'>, teamId: string): Promise<boolean> => {
  const limit = settings.EXEC_TEAM_OUTPUT_MB * mebibyte
  for (;;) {
    const excess = (await storedCost(db, teamId)) - limit
    if (excess <= 0) return true
    if ((await dropOldest(db, teamId, excess)) === 0) return false
  }
}

/** Called before a new command starts. */
export const makeRoom = async (ctx: Pick<Platform, 'db' | 'settings'>, teamId: string): Promise<void> => {
  if (await trim(ctx, teamId)) return
  const detail = `The output of running commands exceeds the limit of ${ctx.settings.EXEC_TEAM_OUTPUT_MB} MiB for a workspace`
  throw fail('invalid_state', detail)
}

export const trimOutputs = async (platform: Platform): Promise<void> => {
  for (const { team_id: teamId } of await fullTeams(platform.db, platform.settings.EXEC_TEAM_OUTPUT_MB * mebibyte))
    await trim(platform, teamId)
}
