// Publishes changes of an engine to its own stream and to the workspace's.
import { resourceSubject } from '#platform/bus/resource-stream.ts'
import { teamSubject } from '#platform/bus/subjects.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { describeEngine } from './describe.ts'
import * as store from './store.ts'

export const engineSubject = resourceSubject('engine')

/**
 * Must be called in the transaction that changed the engine, and publishes the engine as that transaction leaves it. A
 * change of visibility is published without data: each stream reads the row and checks the access of its reader again.
 */
export const reportEngine = async (
  ctx: Ctx<Actor>,
  engineId: string,
  { isSeenByOthers = false }: { isSeenByOthers?: boolean } = {},
): Promise<void> => {
  const row = await store.findEngine(ctx.db, engineId)
  if (!row) return
  const data = await describeEngine(ctx.db, row)
  // The last event contains the whole engine, which may be deleted before a reader could query it.
  const end = row.status === 'stopped' ? { whole: data } : {}
  const details = isSeenByOthers ? {} : { data, ...end }
  ctx.emit({ subject: engineSubject(engineId), data: { seq: row.event_seq, ...details } })
  // Other members cannot see a private engine, so they receive no events about it.
  const only = row.visibility === 'private' ? { only: row.user_id } : {}
  // Like the read operation: without the scope, only public engines are visible.
  const needs = row.visibility === 'public' ? {} : { needs: 'engines:read' as const }
  ctx.emit({ subject: teamSubject(row.team_id), data: { name: 'engines', data, ...only, ...needs } })
}
