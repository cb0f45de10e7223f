// Whether a remote is present. A closed socket means absent at once; an open but silent one means absent after a
// timeout. Timeouts start when this server starts, so its own downtime does not count.
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import * as execStore from './exec-store.ts'
import { failSessions } from './launch.ts'
import { findOwn } from './lookup.ts'
import * as presence from './presence-store.ts'
import * as store from './store.ts'
import { execSubject, type RemoteUpdate, remoteSubject } from './subjects.ts'

export const graceMs = { silentRemote: 45_000, lostRemote: 10 * 60_000, unsentRun: 30_000, overdueRun: 2_000 } as const

/** The heartbeat of machines without a socket: it restores a lost remote, but does not connect it. */
export const heartbeat = async (ctx: Ctx<Member>, id: string): Promise<{ revived: boolean }> => {
  const remote = await findOwn(ctx, id)
  const now = ctx.now().toISOString()
  const revived = remote.status === 'disconnected'
  await store.updateRemote(ctx.db, remote.id, {
    heartbeat_at: now,
    ...(revived && { status: 'running' as const, disconnected_at: null, updated_at: now }),
  })
  return { revived }
}

/** The number of this connection; null if the remote was deleted. Older connections on any server are replaced. */
export const connectRemote = async (ctx: Ctx<Actor>, remoteId: string): Promise<number | null> => {
  const connection = await presence.connect(ctx.db, remoteId, ctx.server.id, ctx.now().toISOString())
  if (connection === undefined) return null
  const replaced: RemoteUpdate = { type: 'replaced', connection }
  ctx.emit({ subject: remoteSubject(remoteId), data: replaced })
  return connection
}

export const disconnectRemote = async (ctx: Ctx<Actor>, remoteId: string, connection: number): Promise<void> => {
  await presence.disconnect(ctx.db, remoteId, connection, ctx.now().toISOString())
  await denyUndelivered(ctx)
}

const before = (ctx: Ctx<Actor>, ms: number): string => new Date(ctx.now().getTime() - ms).toISOString()

const denyUndelivered = async (ctx: Ctx<Actor>): Promise<void> => {
  const denied = await execStore.denyUndelivered(ctx.db, before(ctx, graceMs.unsentRun), ctx.now().toISOString())
  for (const { id } of denied) ctx.emit({ subject: execSubject(id), data: null })
}

/** Repeats events that the server with the socket may have missed. */
const repeatEvents = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const run of await execStore.findOverdue(ctx.db, before(ctx, graceMs.overdueRun))) {
    const type = run.status === 'pending' ? 'exec' : run.signalled_at === null ? 'input' : 'signal'
    const update: RemoteUpdate = { type, runId: run.id }
    ctx.emit({ subject: remoteSubject(run.remote_id), data: update })
  }
}

const finalizeLost = async (ctx: Ctx<Actor>): Promise<void> =>
  ctx.tx(async (ctx) => {
    const now = ctx.now().toISOString()
    const lost = await presence.finalizeLost(ctx.db, before(ctx, graceMs.lostRemote), now)
    if (lost.length === 0) return
    const ids = lost.map(({ id }) => id)
    for (const { id } of await execStore.loseRuns(ctx.db, ids, now)) ctx.emit({ subject: execSubject(id), data: null })
    await failSessions(ctx, ids)
    const cut: RemoteUpdate = { type: 'cut', reason: 'no frame was received for too long' }
    for (const id of ids) ctx.emit({ subject: remoteSubject(id), data: cut })
  })

export const sweep = async (ctx: Ctx<Actor>, upSince: Date): Promise<void> => {
  const upMs = ctx.now().getTime() - upSince.getTime()
  if (upMs >= graceMs.silentRemote)
    await presence.loseSilent(ctx.db, before(ctx, graceMs.silentRemote), ctx.now().toISOString())
  if (upMs >= graceMs.lostRemote) await finalizeLost(ctx)
  await denyUndelivered(ctx)
  await repeatEvents(ctx)
}
