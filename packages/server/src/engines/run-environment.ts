// What an app process gets to know: the secrets and connections its version asks for, of the workspace that runs it.
import type { Version } from '../apps/service.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { secretsForRun } from '../secrets/service.ts'
import type { TaskRow } from '../tasks/service.ts'

export const environmentFor = async (
  ctx: Ctx<Actor>,
  task: TaskRow,
  version: Version,
): Promise<Record<string, string>> => {
  const keys = version.required_secrets.map((secret) => secret.key)
  if (keys.length === 0) return {}
  const { values } = await secretsForRun(ctx, task.team_id, keys, task.user_id)
  return values
}
