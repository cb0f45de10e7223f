// What an app process gets to know: the secrets and connections its version asks for, of the workspace that runs it.

import { runCredentials } from '#connections/credentials/service.ts'
import { secretsForRun } from '#connections/secrets/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { Version } from '../apps/service.ts'
import type { TaskRow } from '../tasks/service.ts'

/** What a connection brings outweighs a secret of the same name: somebody connected it for exactly this. */
export const environmentFor = async (
  ctx: Ctx<Actor>,
  task: TaskRow,
  version: Version,
): Promise<Record<string, string>> => {
  const keys = version.required_secrets.map((secret) => secret.key)
  const [connections, secrets] = await Promise.all([
    version.required_credentials.length === 0
      ? null
      : runCredentials(ctx, task.team_id, task.user_id, version.required_credentials),
    keys.length === 0 ? null : secretsForRun(ctx, task.team_id, keys, task.user_id),
  ])
  const values = { ...secrets?.values, ...connections?.values }
  // Asked for when the run was accepted; it may have been taken away while the task waited.
  const gone = version.required_secrets.find(({ key, optional }) => !optional && !Object.hasOwn(values, key))
  if (gone) throw new Error(`The secret ${gone.key} is missing`)
  return values
}
