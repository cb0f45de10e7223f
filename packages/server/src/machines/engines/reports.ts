// Tells streams that an engine changed: its own stream, and the workspace's.
import { resourceSubject } from '#platform/bus/resource-stream.ts'
import { teamSubject } from '#platform/bus/subjects.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { describeEngine } from './describe.ts'
import * as store from './store.ts'

export const engineSubject = resourceSubject('engine')

/**
 * Called in the transaction that changed the engine; what goes out is the engine as that transaction leaves it. Where it
 * changed who may see it, each follower looks for itself, and is judged again as it does.
 */
export const reportEngine = async (
  ctx: Ctx<Actor>,
  engineId: string,
  { isSeenByOthers = false }: { isSeenByOthers?: boolean } = {},
): Promise<void> => {
  const row = await store.findEngine(ctx.db, engineId)
  if (!row) return
  const data = await describeEngine(ctx.db, row)
  // Its last word carries all of it: who reads then need not find an engine that may be deleted by now.
  const end = row.status === 'stopped' ? { whole: data } : {}
  const told = isSeenByOthers ? {} : { data, ...end }
  ctx.emit({ subject: engineSubject(engineId), data: { seq: row.event_seq, ...told } })
  // Colleagues do not see a private engine, so they do not hear of it either.
  const only = row.visibility === 'private' ? { only: row.user_id } : {}
  // As at its own door: without the scope there is what everyone may see.
  const needs = row.visibility === 'public' ? {} : { needs: 'engines:read' as const }
  ctx.emit({ subject: teamSubject(row.team_id), data: { name: 'engines', data, ...only, ...needs } })
}
