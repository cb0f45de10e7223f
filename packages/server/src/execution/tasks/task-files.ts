// The stored files that occur in a task's input and output.
import type { TaskFile } from '@millrace/contract/tasks'
import { deleteFiles, filesByUris } from '#content/files/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { assertReadable, assertWritable } from '#platform/tenancy/private-access.ts'
import { mayWrite } from '#platform/tenancy/visibility.ts'
import type { TaskRow } from './row.ts'
import * as store from './store.ts'
import { urisIn } from './stored-uris.ts'

export const listTaskFiles = async (ctx: Ctx<Actor>, id: string): Promise<TaskFile[]> =>
  filesOf(ctx, await assertReadable(ctx, await store.findTask(ctx.db, id), 'task'))

/**
 * Deletes the files but not the task; their addresses no longer resolve. The caller controls which addresses occur in
 * the input of a task, so files that the caller could not delete directly are skipped.
 */
export const deleteTaskFiles = (ctx: Ctx<Member>, id: string): Promise<{ deleted: number }> =>
  ctx.tx(async (ctx) => {
    const task = await assertWritable(ctx, await store.findTask(ctx.db, id), 'task')
    const files = new Map((await filesOf(ctx, task)).map((file) => [file.id, file]))
    const ids: string[] = []
    for (const file of files.values()) {
      const owned = { ...file, team_org_id: task.team_org_id }
      if (mayWrite(ctx.actor, owned) === 'no') continue
      ids.push((await assertWritable(ctx, owned, 'file')).id)
    }
    return { deleted: ids.length === 0 ? 0 : await deleteFiles(ctx, task.team_id, ids) }
  })

const filesOf = async (ctx: Ctx<Actor>, task: TaskRow): Promise<TaskFile[]> => {
  const places = [
    ...urisIn(task.input).map((place) => ({ ...place, direction: 'input' as const })),
    ...urisIn(task.output).map((place) => ({ ...place, direction: 'output' as const })),
  ]
  const files = await filesByUris(
    ctx,
    task.team_id,
    places.map(({ uri }) => uri),
  )
  return places.flatMap(({ uri, direction, field }) => {
    const file = files.get(uri)
    return file ? [{ ...file, direction, field }] : []
  })
}
