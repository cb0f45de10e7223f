// GET /me/stats: the number of entries that the caller wrote in the workspace, and how many of them programs wrote.
import type { MyStats } from '@millrace/contract/teams'
import type { Ctx } from '#platform/core/ctx.ts'
import { countGathered } from './store.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Midnight (UTC) of the day and of its week's Monday. */
export const startsOf = (now: Date): { day: string; week: string } => {
  const day = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())
  const sinceMonday = (now.getUTCDay() + 6) % 7
  return { day: new Date(day).toISOString(), week: new Date(day - sinceMonday * dayMs).toISOString() }
}

export const myStats = async (ctx: Ctx): Promise<MyStats> => {
  const { knowledge, skills, ...extracted } = await countGathered(ctx.db, ctx.actor, startsOf(ctx.now()))
  return { knowledge_count: knowledge, skills_count: skills, extracted }
}
