// Everything about rented machines that is overdue, decided by rows and the present time. Several servers may sweep at once.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { changedEngine, drainEngine } from '../engines/service.ts'
import { listClouds } from '../instances/service.ts'
import { retryDelayMs } from './amounts.ts'
import { stopRental, undoLaunch } from './ends.ts'
import type { Facts, Provider } from './provider.ts'
import { localOf, providerOf } from './providers.ts'
import { factColumns, machineOf } from './service.ts'
import * as store from './store.ts'

/** A machine on which no engine has come up by then never will. */
const bootLimitMs = 30 * 60_000
/** Longer than a provider may take to answer: whoever claimed a row and died is not waited for any longer. */
const claimMs = 45_000
/** Between the two times that a machine of an uncertain launch is taken away. */
const secondRemovalMs = 60_000
const claimedAtOnce = 20
/** However many machines there are, one provider that does not answer must not keep the rest of the sweep waiting for long. */
const askingMs = 5_000

const after = (ctx: Ctx<Actor>, ms: number): string => new Date(ctx.now().getTime() + ms).toISOString()

export const sweepRentals = async (ctx: Ctx<Actor>): Promise<void> => {
  const now = ctx.now().toISOString()
  for (const { id } of await store.listAbandoned(ctx.db, now)) await undoLaunch(ctx, id, { certain: false })
  for (const { engine_id } of await store.listExpired(ctx.db, now)) await stopRental(ctx, engine_id, 'expired')
  for (const { engine_id } of await store.listUnbooted(ctx.db, after(ctx, -bootLimitMs)))
    await stopRental(ctx, engine_id, 'boot_timeout')
  for (const { id, engine_id } of await store.listBooted(ctx.db))
    await recordFacts(ctx, id, engine_id, { status: 'active' })
  await askProviders(ctx)
}

/** All that are due, one handful after the other, so that many machines are looked at as often as few. */
const askProviders = async (ctx: Ctx<Actor>): Promise<void> => {
  const startedMs = ctx.now().getTime()
  while ((await askSome(ctx)) === claimedAtOnce && ctx.now().getTime() - startedMs < askingMs);
}

const askSome = async (ctx: Ctx<Actor>): Promise<number> => {
  const { host } = await localOf(ctx)
  const due = await store.claimDue(ctx.db, {
    now: ctx.now().toISOString(),
    until: after(ctx, claimMs),
    host,
    limit: claimedAtOnce,
  })
  await Promise.all(
    due.map((row) =>
      askAbout(ctx, row).catch((error: unknown) =>
        ctx.log.error({ err: error, instanceId: row.id }, 'a rented machine could not be looked after'),
      ),
    ),
  )
  return due.length
}

const askAbout = async (ctx: Ctx<Actor>, row: store.InstanceRow): Promise<void> => {
  const provider = await providerOf(ctx, row)
  await (row.ended_at === null ? look : takeAway)(ctx, row, provider)
}

const look = async (ctx: Ctx<Actor>, row: store.InstanceRow, provider: Provider): Promise<void> => {
  const sight = await provider.look(row.id)
  if (sight.kind === 'gone') {
    if (await startAgain(ctx, row)) return
    await stopRental(ctx, row.engine_id, row.rental_type === 'spot' ? 'preempted' : 'instance_lost')
    return
  }
  if (sight.kind === 'unknown')
    ctx.log.warn({ instanceId: row.id, cloud: row.cloud, reason: sight.why }, 'a cloud does not say how a machine is')
  await store.updateInstance(ctx.db, row.id, { next_look_at: after(ctx, ctx.settings.CLOUD_POLL_SECONDS * 1000) })
  if (sight.kind === 'there') await recordFacts(ctx, row.id, row.engine_id, sight.facts)
}

/** A machine of this server that was ended with it is started with it. */
const startAgain = async (ctx: Ctx<Actor>, row: store.InstanceRow): Promise<boolean> => {
  if (row.kind !== 'local') return false
  const { provider } = await localOf(ctx)
  if (!(await provider.isResting(row.id))) return false
  await provider.launch(await machineOf(ctx, row))
  await store.updateInstance(ctx.db, row.id, { next_look_at: after(ctx, ctx.settings.CLOUD_POLL_SECONDS * 1000) })
  return true
}

const differs = (row: store.InstanceRow, change: Record<string, unknown>): boolean =>
  Object.entries(change).some(([name, value]) => row[name as keyof store.InstanceRow] !== value)

/** What the provider says of a machine that is alive; an engine that has come up says more than `pending`. */
const recordFacts = (ctx: Ctx<Actor>, id: string, engineId: string, facts: Facts): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = await store.lockInstance(ctx.db, id)
    if (!row || row.ended_at !== null) return
    const isNews = facts.interruption_at !== undefined && row.interruption_at === null
    const status = row.status === 'active' && facts.status !== 'error' ? 'active' : facts.status
    const change = { ...factColumns(facts), status: status === 'creating' ? row.status : status }
    if (!isNews && !differs(row, change)) return
    const now = ctx.now().toISOString()
    await store.updateInstance(ctx.db, id, {
      ...change,
      updated_at: now,
      ...(isNews ? { interruption_at: facts.interruption_at } : {}),
    })
    if (isNews) await drainEngine(ctx, engineId)
    await changedEngine(ctx, engineId)
  })

const takeAway = async (ctx: Ctx<Actor>, row: store.InstanceRow, provider: Provider): Promise<void> => {
  const now = ctx.now().toISOString()
  if (!(await provider.remove(row.id))) {
    ctx.log.warn(
      { instanceId: row.id, cloud: row.cloud, failures: row.failures },
      'a machine could not be taken away yet',
    )
    return store.updateInstance(ctx.db, row.id, {
      failures: row.failures + 1,
      next_look_at: after(ctx, retryDelayMs(row.failures)),
    })
  }
  const left = row.removals_left - 1
  await store.updateInstance(ctx.db, row.id, {
    removals_left: left,
    failures: 0,
    ...(left > 0
      ? { next_look_at: after(ctx, secondRemovalMs) }
      : { status: 'deleted', updated_at: now, deleted_at: now }),
  })
}

/**
 * Machines that a provider runs although they have ended here. What a broker runs for somebody else is none of our business;
 * on this machine there is nobody else.
 */
export const sweepOrphans = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const { key, kind } of await listClouds(ctx)) {
    const provider = await providerOf(ctx, { kind, cloud: key })
    const ids = await provider.list()
    if (!ids || ids.length === 0) continue
    const known = new Map((await store.findKnown(ctx.db, ids)).map(({ id, status }) => [id, status]))
    for (const id of ids) {
      if (known.get(id) === 'deleted') {
        ctx.log.warn({ instanceId: id, cloud: key }, 'a machine that was taken away is there again')
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
