// The frame that sends a task to its worker: the version's code and environment, the input, and the secrets sealed to
// the engine. A task whose frame cannot be made fails with the reason, unless that is the database's, which passes.

import { type TaskRun, toBase64 } from '@millrace/contract/engine-frames'
import { shortId } from '@millrace/contract/ids'
import { seal } from '@millrace/contract/sealed-box'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isPassing } from '#platform/db/away.ts'
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
        task: toldTask(ctx, task, version),
        secrets: sealedSecrets(secrets, engine.public_key, task.id),
        ...(task.is_stream ? { socket: await workerEnd(ctx, task.id) } : {}),
      },
    }
  } catch (error) {
    ctx.log.warn({ err: error, task: task.id }, 'a task could not be sent')
    // What no engine has accepted is sent again after a while.
    if (isPassing(error)) return null
    await failTask(ctx, task.id, task.attempt, error instanceof Error ? error.message : 'The task could not be sent')
    return null
  }
}

type RunnableVersion = NonNullable<Awaited<ReturnType<typeof runnableVersion>>>

/** The task as its engine is told of it. */
const toldTask = (ctx: Ctx<Actor>, task: SentTask, version: RunnableVersion): TaskRun['data']['task'] => {
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
    repository: present(version.repository, ctx.settings.BASE_URL),
    checksum: version.checksum,
    kernel: version.kernel,
    app_env: { ...version.env, ...variant?.env },
    gpu_count: task.gpu_count,
    ...(traceparent === '' ? {} : { traceparent }),
  }
}

/** An engine without a key gets plain base64, be it of none. Most apps need no secret, and then nothing is sealed. */
const sealedSecrets = (secrets: Record<string, string>, publicKey: string, taskId: string): string | null => {
  const text = JSON.stringify(secrets)
  if (publicKey === '') return toBase64(text)
  return Object.keys(secrets).length === 0 ? null : seal(text, publicKey, `task:${taskId}`)
}

/** A bundle of our own lies where the server is now, which may not be where it was when the version was registered. */
const present = (repository: string, baseUrl: string): string => {
  const url = URL.parse(repository)
  return url?.pathname.startsWith('/media/') ? `${baseUrl}${url.pathname}` : repository
}
