// The steps of a flow run that is over are history, and end with it. The run itself, its nodes and its output stay.
import type { Platform } from '../core/ctx.ts'
import { sweepByRetention } from '../plans/service.ts'
import { forgetSteps } from './retention-store.ts'

export const sweepSteps = (platform: Platform): Promise<number> =>
  sweepByRetention(platform, (teamId, before, limit) => forgetSteps(platform.db, teamId, before, limit))
