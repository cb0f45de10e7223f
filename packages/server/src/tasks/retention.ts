// History ends: logs, telemetry and webhook deliveries of tasks that finished longer ago than the workspace keeps them.
// The task itself, its input and its output stay until somebody deletes it.
import type { Platform } from '../core/ctx.ts'
import { sweepByRetention } from '../plans/service.ts'
import { forgetHistory } from './history-store.ts'

export const sweepHistory = async (platform: Platform): Promise<void> => {
  await sweepByRetention(platform, (teamId, before, limit) => forgetHistory(platform.db, teamId, before, limit))
}
