// Rules of live sockets: created with the task of a stream function, closed with it, opened by short-lived tokens.
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import type { LiveSocket } from '@millrace/contract/sockets'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import {
  assertReadable,
  assertRunnable,
  assertWritable,
  listedWith,
  listReach,
} from '#platform/tenancy/private-access.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import { mayWrite } from '#platform/tenancy/visibility.ts'
import type { TaskEndedListener } from '../tasks/extension-points.ts'
import { accessFor, relayOf } from './access.ts'
import * as store from './store.ts'
import { socketOver } from './subjects.ts'
import type { SocketRole } from './tokens.ts'

const socketList: ListSpec = {
  id: 'live_sockets.id',
  columns: {
    id: { ref: 'live_sockets.id', type: 'text' },
    task_id: { ref: 'live_sockets.task_id', type: 'text' },
    status: { ref: 'live_sockets.status', type: 'text' },
    outcome: { ref: 'live_sockets.outcome', type: 'text', nullable: true },
    visibility: { ref: 'live_sockets.visibility', type: 'text' },
    created_at: { ref: 'live_sockets.created_at', type: 'time' },
    updated_at: { ref: 'live_sockets.updated_at', type: 'time' },
  },
  search: ['task_id'],
}

const toSocket = (row: store.SocketRow): LiveSocket => ({
  ...resourceFields(row),
  deleted_at: row.deleted_at,
  visibility: row.visibility as LiveSocket['visibility'],
  task_id: row.task_id,
  relay: row.relay,
  status: row.status,
  paired_at: row.paired_at,
  ended_at: row.ended_at,
  outcome: row.outcome as LiveSocket['outcome'],
  close_code: row.close_code,
  close_reason: row.close_reason,
  client_frames: row.client_frames,
  client_bytes: row.client_bytes,
  worker_frames: row.worker_frames,
  worker_bytes: row.worker_bytes,
})

/** In the transaction that creates the task of a stream function. */
export const openSocket = async (
  ctx: Ctx<Actor>,
  task: { id: string; team_id: string; user_id: string; visibility: string },
): Promise<void> => {
  const now = ctx.now().toISOString()
  await store.insertSocket(ctx.db, {
    id: newId(),
    task_id: task.id,
    team_id: task.team_id,
    user_id: task.user_id,
    visibility: task.visibility,
    relay: relayOf(ctx),
    created_at: now,
    updated_at: now,
  })
}

const endOf = async (ctx: Ctx<Actor>, taskId: string, role: SocketRole) => {
  const socket = await store.findSocketOfTask(ctx.db, taskId)
  return socket ? accessFor(ctx, socket, role) : undefined
}

/** The caller's end, for the answer to the run request. */
export const callerEnd = (ctx: Ctx<Actor>, taskId: string) => endOf(ctx, taskId, 'client')

/** The worker's end, for the frame that sends the task to its engine. */
export const workerEnd = (ctx: Ctx<Actor>, taskId: string) => endOf(ctx, taskId, 'worker')

export const closeWithTask: TaskEndedListener = {
  concerns: ({ is_stream }) => is_stream,
  run: async (ctx, task) => {
    for (const { id } of await store.closeWithTask(ctx.db, task.id, ctx.now().toISOString()))
      ctx.emit({ subject: socketOver(id), data: null })
  },
}

export const list = async (ctx: Ctx<Member>, request: ListRequest): Promise<Page<Partial<LiveSocket>>> => {
  const seen = listedWith(ctx.actor, 'live_sockets', await listReach(ctx, request, 'socket'), request.permissions)
  const query = store.selectSockets(ctx.db).where(seen)
  return runOwnedList(query, { db: ctx.db, spec: socketList, request, toItem: toSocket, notice: ctx.notice })
}

export const get = async (ctx: Ctx<Member>, id: string): Promise<LiveSocket> =>
  toSocket(await assertReadable(ctx, await store.findSocket(ctx.db, id), 'socket'))

/**
 * A new token for the caller's end. Its holder acts as the caller of the run, so administrator access is not
 * sufficient.
 */
export const access = async (ctx: Ctx<Member>, id: string) => {
  const row = assertRunnable(ctx, await store.findSocket(ctx.db, id), 'socket')
  if (mayWrite(ctx.actor, row) !== 'yes') throw fail('forbidden', 'You have no write access to this socket')
  if (row.status === 'closed') throw fail('invalid_state', 'The socket is closed')
  return accessFor(ctx, row, 'client')
}

export const remove = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const row = await assertWritable(ctx, await store.findSocket(ctx.db, id), 'socket')
    if (row.status !== 'closed') throw fail('invalid_state', 'Only a closed socket can be deleted')
    await store.softDelete(ctx.db, row.id, ctx.now().toISOString())
    await recordAudit(ctx, 'socket.deleted', { resourceType: 'socket', resourceId: row.id })
    return { success: true }
  })
