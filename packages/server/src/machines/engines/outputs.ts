// When a task ends, the files that its engine uploaded become the property of the workspace that ran it.

import { adoptOutputs } from '#content/files/service.ts'
import type { TaskEndedListener } from '#execution/tasks/extension-points.ts'
import { urisIn } from '#execution/tasks/service.ts'
import { teamOfEngine } from './store.ts'

export const adoptTaskOutputs: TaskEndedListener = {
  concerns: ({ engine_id, output }) => engine_id !== null && urisIn(output).length > 0,
  run: async (ctx, task) => {
    const teamId = await teamOfEngine(ctx.db, task.engine_id)
    const uris = urisIn(task.output).map(({ uri }) => uri)
    if (teamId) await adoptOutputs(ctx, teamId, uris, { teamId: task.team_id, userId: task.user_id })
  },
}
