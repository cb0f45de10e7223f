// The frame that sends a task to its worker: code and environment of the version, the input, and the secrets sealed for
// the engine. If building the frame fails, the task fails with the reason, except for temporary database errors.

import { type TaskRun, toBase64 } from '@millrace/contract/engine-frames'
import { shortId } from '@millrace/contract/ids'
import { seal } from '@millrace/contract/sealed-box'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isPassing } from '#platform/db/unavailable.ts'
import { runnableVersion } from '../apps/service.ts'
import { workerEnd } from '../sockets/service.ts'
import { appTraceparent, failTask, type SentTask } from '../tasks/service.ts'
import { environmentFor } from './run-environment.ts'

export const runFrame = async (
  ctx: Ctx<Actor>,
  task: SentTask,
  engine: { public_key: string },
): Promise<TaskRun | null> => {
  try {
    const version = await runnableVersion(ctx.db, task.app_version_id)
    if (!version) throw new Error('The version of the app no longer exists')
    const secrets = await environmentFor(ctx, task, version)
    return {
      type: 'task_run',
      data: {
        task: taskForEngine(ctx, task, version),
        secrets: sealedSecrets(secrets, engine.public_key, task.id),
        ...(task.is_stream ? { socket: await workerEnd(ctx, task.id) } : {}),
      },
    }
  } catch (error) {
    ctx.log.warn({ err: error, task: task.id }, 'could not send a task')
    // The task is still unacknowledged and will be sent again.
    if (isPassing(error)) return null
    await failTask(ctx, task.id, task.attempt, error instanceof Error ? error.message : 'The task could not be sent')
    return null
  }
}

type RunnableVersion = NonNullable<Awaited<ReturnType<typeof runnableVersion>>>

/** The task as its engine receives it. */
const taskForEngine = (ctx: Ctx<Actor>, task: SentTask, version: RunnableVersion): TaskRun['data']['task'] => {
  const variant = task.app_variant === '' ? undefined : version.variants[task.app_variant]
  const traceparent = appTraceparent(ctx.tracing.within, task)
  return {
    id: task.id,
    attempt: task.attempt,
    short_id: shortId(task.id),
    status: task.status,
    user_id: task.user_id,
    team_id: task.team_id,
    app_id: task.app_id,
    app_version_id: task.app_version_id,
    app_variant: task.app_variant,
    function: task.function,
    input: task.input,
    setup: task.setup,
    worker_id: task.worker_id,
    session_id: task.session_id,
    session_timeout: task.session_timeout,
    app_name: task.app_name,
    repository: withCurrentBaseUrl(version.repository, ctx.settings.BASE_URL),
    checksum: version.checksum,
    kernel: version.kernel,
    app_env: { ...version.env, ...variant?.env },
    gpu_count: task.gpu_count,
    gpu_vram: task.gpu_vram,
    ...(traceparent === '' ? {} : { traceparent }),
  }
}

/**
 * An engine without a public key always gets plain base64. Otherwise nothing is sealed when there are no secrets, as
 * for most apps.
 */
const sealedSecrets = (secrets: Record<string, string>, publicKey: string, taskId: string): string | null => {
  const text = JSON.stringify(secrets)
  if (publicKey === '') return toBase64(text)
  return Object.keys(secrets).length === 0 ? null : seal(text, publicKey, `task:${taskId}`)
}

/**
 * The address of a stored bundle uses the current base URL of the server, which may have changed since the version was
 * registered.
 */
const withCurrentBaseUrl = (repository: string, baseUrl: string): string => {
  const url = URL.parse(repository)
  return url?.pathname.startsWith('/media/') ? `${baseUrl}${url.pathname}` : repository
}
