// Files that an engine uploaded for a task belong to the workspace that ran it, from the moment the task ends.
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import type { EndedTask } from '../core/hooks.ts'
import { adoptOutputs } from '../files/service.ts'
import { urisIn } from '../tasks/service.ts'

export const adoptTaskOutputs = async (ctx: Ctx<Actor>, task: EndedTask): Promise<void> => {
  if (task.engine_id === null) return
  const uris = urisIn(task.output).map(({ uri }) => uri)
  if (uris.length === 0) return
  const engine = await ctx.db
    .selectFrom('engines')
    .select('team_id')
    .where('id', '=', task.engine_id)
    .executeTakeFirst()
  if (engine) await adoptOutputs(ctx, engine.team_id, uris, { teamId: task.team_id, userId: task.user_id })
}
