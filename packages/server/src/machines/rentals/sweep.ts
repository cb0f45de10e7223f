// Finds overdue events of rented machines from rows and the current time. Several servers may sweep concurrently.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { changedEngine, drainEngine } from '../engines/service.ts'
import { listClouds } from '../instances/service.ts'
import { retryDelayMs } from './amounts.ts'
import { stopRental, undoLaunch } from './end-rental.ts'
import type { InstanceFacts, Provider } from './provider.ts'
import { localOf, providerOf } from './providers.ts'
import { factColumns, machineOf } from './service.ts'
import * as store from './store.ts'

/** A machine whose engine has not connected by then is refunded. */
const bootLimitMs = 30 * 60_000
/** Longer than a provider may take to answer, so that claims of dead servers expire. */
const claimMs = 45_000
/** Delay between the two removals of a machine whose launch had an uncertain result. */
const secondRemovalMs = 60_000
const batchSize = 20
/** Limits the time that an unresponsive provider can delay the rest of the sweep, however many machines it has. */
const maxSweepMs = 5_000

const after = (ctx: Ctx<Actor>, ms: number): string => new Date(ctx.now().getTime() + ms).toISOString()

export const sweepRentals = async (ctx: Ctx<Actor>): Promise<void> => {
  const now = ctx.now().toISOString()
  for (const { id } of await store.listAbandoned(ctx.db, now)) await undoLaunch(ctx, id, { certain: false })
  for (const { engine_id } of await store.listExpired(ctx.db, now)) await stopRental(ctx, engine_id, 'expired')
  for (const { engine_id } of await store.listUnbooted(ctx.db, after(ctx, -bootLimitMs)))
    await stopRental(ctx, engine_id, 'boot_timeout')
  for (const { id, engine_id } of await store.listBooted(ctx.db))
    await recordFacts(ctx, id, engine_id, { status: 'active' })
  await checkMachines(ctx)
}

/** Checks all machines that are due in batches, so that their number does not reduce the frequency. */
const checkMachines = async (ctx: Ctx<Actor>): Promise<void> => {
  const startedMs = ctx.now().getTime()
  while ((await checkBatch(ctx)) === batchSize && ctx.now().getTime() - startedMs < maxSweepMs);
}

const checkBatch = async (ctx: Ctx<Actor>): Promise<number> => {
  const { host } = await localOf(ctx)
  const due = await store.claimDue(ctx.db, {
    now: ctx.now().toISOString(),
    until: after(ctx, claimMs),
    host,
    limit: batchSize,
  })
  await Promise.all(
    due.map((row) =>
      checkMachine(ctx, row).catch((error: unknown) =>
        ctx.log.error({ err: error, instanceId: row.id }, 'could not check a rented machine'),
      ),
    ),
  )
  return due.length
}

const checkMachine = async (ctx: Ctx<Actor>, row: store.InstanceRow): Promise<void> => {
  const provider = await providerOf(ctx, row)
  await (row.ended_at === null ? checkStatus : removeMachine)(ctx, row, provider)
}

const checkStatus = async (ctx: Ctx<Actor>, row: store.InstanceRow, provider: Provider): Promise<void> => {
  const result = await provider.getStatus(row.id)
  if (result.kind === 'gone') {
    if (await restartMachine(ctx, row)) return
    await stopRental(ctx, row.engine_id, row.rental_type === 'spot' ? 'preempted' : 'instance_lost')
    return
  }
  if (result.kind === 'unknown')
    ctx.log.warn(
      { instanceId: row.id, cloud: row.cloud, reason: result.why },
      'a cloud did not return the status of a machine',
    )
  await store.updateInstance(ctx.db, row.id, { next_look_at: after(ctx, ctx.settings.CLOUD_POLL_SECONDS * 1000) })
  if (result.kind === 'there') await recordFacts(ctx, row.id, row.engine_id, result.facts)
}

/** Restarts a machine of this server that ended with it. */
const restartMachine = async (ctx: Ctx<Actor>, row: store.InstanceRow): Promise<boolean> => {
  if (row.kind !== 'local') return false
  const { provider } = await localOf(ctx)
  if (!(await provider.isResting(row.id))) return false
  await provider.launch(await machineOf(ctx, row))
  await store.updateInstance(ctx.db, row.id, { next_look_at: after(ctx, ctx.settings.CLOUD_POLL_SECONDS * 1000) })
  return true
}

const differs = (row: store.InstanceRow, change: Record<string, unknown>): boolean =>
  Object.entries(change).some(([name, value]) => row[name as keyof store.InstanceRow] !== value)

/** Records the status of a running machine. A connected engine is proof that it is no longer pending. */
const recordFacts = (ctx: Ctx<Actor>, id: string, engineId: string, facts: InstanceFacts): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = await store.lockInstance(ctx.db, id)
    if (!row || row.ended_at !== null) return
    const isNewInterruption = facts.interruption_at !== undefined && row.interruption_at === null
    const status = row.status === 'active' && facts.status !== 'error' ? 'active' : facts.status
    const change = { ...factColumns(facts), status: status === 'creating' ? row.status : status }
    if (!isNewInterruption && !differs(row, change)) return
    const now = ctx.now().toISOString()
    await store.updateInstance(ctx.db, id, {
      ...change,
      updated_at: now,
      ...(isNewInterruption ? { interruption_at: facts.interruption_at } : {}),
    })
    if (isNewInterruption) await drainEngine(ctx, engineId)
    await changedEngine(ctx, engineId)
  })

const removeMachine = async (ctx: Ctx<Actor>, row: store.InstanceRow, provider: Provider): Promise<void> => {
  const now = ctx.now().toISOString()
  if (!(await provider.remove(row.id))) {
    ctx.log.warn({ instanceId: row.id, cloud: row.cloud, failures: row.failures }, 'could not remove a machine yet')
    return store.updateInstance(ctx.db, row.id, {
      failures: row.failures + 1,
      next_look_at: after(ctx, retryDelayMs(row.failures)),
    })
  }
  const removalsLeft = row.removals_left - 1
  await store.updateInstance(ctx.db, row.id, {
    removals_left: removalsLeft,
    failures: 0,
    ...(removalsLeft > 0
      ? { next_look_at: after(ctx, secondRemovalMs) }
      : { status: 'deleted', updated_at: now, deleted_at: now }),
  })
}

/**
 * Finds machines that a provider still runs although their rental has ended. Unknown machines of a broker belong to
 * others; on this server's machine they are removed.
 */
export const sweepOrphans = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const { key, kind } of await listClouds(ctx)) {
    const provider = await providerOf(ctx, { kind, cloud: key })
    const ids = await provider.list()
    if (!ids || ids.length === 0) continue
    const known = new Map((await store.findKnown(ctx.db, ids)).map(({ id, status }) => [id, status]))
    for (const id of ids) {
      if (known.get(id) === 'deleted') {
        ctx.log.warn({ instanceId: id, cloud: key }, 'a removed machine exists again')
        await store.updateInstance(ctx.db, id, {
          status: 'deleting',
          removals_left: 1,
          next_look_at: ctx.now().toISOString(),
        })
      } else if (!known.has(id)) {
        ctx.log.warn({ instanceId: id, cloud: key }, 'a cloud runs a machine that this installation never rented')
        if (kind === 'local') await provider.remove(id)
      }
    }
  }
}
