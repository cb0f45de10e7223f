// Files that an engine uploaded for a task belong to the workspace that ran it, from the moment the task ends.
import type { TaskEndedHook } from '../core/hooks.ts'
import { adoptOutputs } from '../files/service.ts'
import { urisIn } from '../tasks/service.ts'

export const adoptTaskOutputs: TaskEndedHook = {
  concerns: ({ engine_id, output }) => engine_id !== null && urisIn(output).length > 0,
  run: async (ctx, task) => {
    const engine = await ctx.db
      .selectFrom('engines')
      .select('team_id')
      .where('id', '=', task.engine_id)
      .limit(1)
      .executeTakeFirst()
    const uris = urisIn(task.output).map(({ uri }) => uri)
    if (engine) await adoptOutputs(ctx, engine.team_id, uris, { teamId: task.team_id, userId: task.user_id })
  },
}
