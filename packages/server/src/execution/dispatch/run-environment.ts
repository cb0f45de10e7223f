// The environment of an app process: the secrets and connections that its version requires, of the workspace that runs
// it.

import { runCredentials } from '#connections/credentials/service.ts'
import { secretsForRun } from '#connections/secrets/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { Version } from '../apps/service.ts'
import type { TaskRow } from '../tasks/service.ts'

/** A value of a connection overrides a secret of the same name, because the connection was made for this purpose. */
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
  // Checked when the run was accepted, but the secret may have been deleted while the task was queued.
  const missing = version.required_secrets.find(({ key, optional }) => !optional && !Object.hasOwn(values, key))
  if (missing) throw new Error(`The secret ${missing.key} is missing`)
  return values
}
