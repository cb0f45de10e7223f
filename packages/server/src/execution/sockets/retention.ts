// Closed live sockets are deleted with the workspace's history.

import { sweepByRetention } from '#accounts/plans/service.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { deleteClosedBefore } from './store.ts'

export const sweepSockets = (platform: Platform): Promise<number> =>
  sweepByRetention(platform, (teamId, before, limit) => deleteClosedBefore(platform.db, teamId, before, limit))
