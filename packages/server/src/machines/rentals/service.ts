// Renting a machine: first the payment and the row are committed, then the provider is called. If the server dies in
// between, the row shows the progress.
import type { Machine } from '@millrace/contract/broker'
import type { CreateEngine, ExtendEngine } from '@millrace/contract/engines'
import { newId } from '@millrace/contract/ids'
import { scopeCatalog } from '@millrace/contract/scope-catalog'
import { engineRightsOf, ensureServiceAccount, mintKey } from '#accounts/access/service.ts'
import { requireSpending } from '#money/billing/service.ts'
import { reserveSpending, settleSpending } from '#money/budgets/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { addPendingEngine, changedEngine, engineShown, lockWritableEngine } from '../engines/service.ts'
import { type Quote, quote } from '../instances/service.ts'
import { costOfSpan, endFault, extensionFault, type Payment, withPayment } from './amounts.ts'
import { undoLaunch } from './end-rental.ts'
import { moveMoney } from './money.ts'
import { type InstanceFacts, LaunchFailed } from './provider.ts'
import { hostFor, providerOf } from './providers.ts'
import * as store from './store.ts'

export const sealedKeys: SealedColumn = { table: 'instances', column: 'api_key_sealed', teamColumn: 'team_id' }

const keyBinding = (id: string): string => sealBinding(sealedKeys.table, id, sealedKeys.column)

/** A running launch renews its lease within this time; otherwise it is reverted. */
const leaseMs = 10_000
const renewMs = 3_000

const leaseFrom = (ctx: Ctx<Actor>): string => new Date(ctx.now().getTime() + leaseMs).toISOString()

const scopesOfEngine = (): string[] => {
  const preset = scopeCatalog.presets.find(({ id }) => id === 'engine')
  return [...(preset?.scopes ?? []), 'apps:read', 'files:read', 'files:write']
}

const quoteFor = async (ctx: Ctx<Member>, requested: CreateEngine['instance_type']): Promise<Quote> => {
  const found = await quote(ctx, { ...requested, rental_type: requested.rental_type ?? 'on_demand' })
  if (!found) throw fail('internal_error', { cause: new Error('The instance could not be quoted') })
  return found
}

const shownEngine = async (ctx: Ctx<Actor>, engineId: string) => {
  const engine = await engineShown(ctx, engineId)
  if (!engine) throw fail('internal_error', { cause: new Error('The launch was reverted') })
  return engine
}

/** The key for the machine's engine; it works for this engine only. */
const keyFor = async (ctx: Ctx<Member>, engineId: string, name: string): Promise<string> => {
  const { teamId, userId } = ctx.actor
  const { text } = await mintKey(ctx, {
    teamId,
    userId: await ensureServiceAccount(ctx.db, teamId),
    createdBy: userId,
    name: `Engine ${name}`.slice(0, 100),
    scope: 'workspace',
    scopes: scopesOfEngine(),
    holdsEngineScopes: true,
    source: `engine:${engineId}`,
    engineId,
    expiresAt: null,
  })
  return text
}

const payFor = async (
  ctx: Ctx<Member>,
  rental: { team_id: string; user_id: string; engine_id: string; cloud: string },
  paid: number,
  notes: string,
): Promise<{ payment: Payment; debitId: string }> => {
  const { balance } = await requireSpending(ctx, rental.team_id)
  if (balance < paid)
    throw fail('payment_required', {
      detail: 'The prepaid balance of this workspace does not cover this machine for this time',
      meta: { balance, required: paid },
    })
  const subjects = await reserveSpending(ctx, { origin: {}, amount: paid })
  const debitId = await moveMoney(ctx, rental, 'debit', -paid, { notes })
  const at = ctx.now().toISOString()
  await settleSpending(ctx, { teamId: rental.team_id, subjects, at, held: paid, spent: paid })
  return { payment: { at, amount: paid, subjects }, debitId }
}

const newInstance = async (
  ctx: Ctx<Member>,
  { name, instance_type: requested }: CreateEngine,
  { offer, kind, hourlyPrice }: Quote,
  { payment, debitId }: { payment: Payment; debitId: string },
) => {
  const now = ctx.now().toISOString()
  return {
    kind: kind as 'http' | 'local',
    host: await hostFor(ctx, kind),
    name,
    region: requested.region,
    catalog_instance_type: offer.catalog_instance_type,
    cloud_instance_type: offer.cloud_instance_type,
    rental_type: requested.rental_type ?? ('on_demand' as const),
    hourly_price: hourlyPrice,
    configuration: JSON.stringify(offer.configuration),
    status: 'creating' as const,
    paid: payment.amount,
    debit_id: debitId,
    payments: JSON.stringify([payment]),
    launch_until: leaseFrom(ctx),
    next_look_at: now,
    created_at: now,
    updated_at: now,
  }
}

/** Takes the payment and writes the row of the launch; the provider is not called yet. */
export const reserveEngine = (ctx: Ctx<Member>, request: CreateEngine) =>
  ctx.tx(async (ctx) => {
    const rights = await engineRightsOf(ctx)
    rights.assertMaySpend()
    const { name } = request
    const nowMs = ctx.now().getTime()
    const endMs = Date.parse(request.end_time)
    const fault = endFault(nowMs, endMs)
    if (fault !== null) throw fail('invalid_request', fault)
    const quoted = await quoteFor(ctx, request.instance_type)
    const { teamId, userId } = ctx.actor
    const [id, engineId] = [newId(), newId()]
    const end_time = new Date(endMs).toISOString()
    const rental = { team_id: teamId, user_id: userId, engine_id: engineId, cloud: quoted.offer.cloud }
    const cost = costOfSpan(quoted.hourlyPrice, nowMs, endMs)
    const paid = await payFor(ctx, rental, cost, `${name} until ${end_time}`)
    await addPendingEngine(ctx, { id: engineId, name })
    const key = await keyFor(ctx, engineId, name)
    await store.insertInstance(ctx.db, {
      id,
      ...rental,
      ...(await newInstance(ctx, request, quoted, paid)),
      end_time,
      api_key_sealed: await ctx.keyring.seal(ctx.db, teamId, key, keyBinding(id)),
    })
    await recordAudit(ctx, 'engine.rented', {
      resourceType: 'engine',
      resourceId: engineId,
      meta: { instance_id: id, paid: cost, hourly_price: quoted.hourlyPrice },
    })
    await changedEngine(ctx, engineId)
    return shownEngine(ctx, engineId)
  })

/** The machine for the provider, including the key of the engine. */
export const machineOf = async (ctx: Ctx<Actor>, row: store.InstanceRow): Promise<Machine> => {
  if (!row.api_key_sealed) throw new LaunchFailed('the rental has ended', true)
  const key = await ctx.keyring.open(ctx.db, row.api_key_sealed, keyBinding(row.id))
  return {
    id: row.id,
    name: row.name,
    region: row.region,
    catalog_instance_type: row.catalog_instance_type,
    cloud_instance_type: row.cloud_instance_type,
    rental_type: row.rental_type,
    end_time: row.end_time,
    configuration: row.configuration as Machine['configuration'],
    engine: { id: row.engine_id, name: row.name, api_url: ctx.settings.BASE_URL, api_key: key.toString() },
  }
}

/** The reported facts about a machine, as columns. */
export const factColumns = (facts: InstanceFacts) => ({
  ...(facts.cloud_assigned_id === undefined ? {} : { cloud_assigned_id: facts.cloud_assigned_id }),
  ...(facts.ip === undefined ? {} : { ip: facts.ip }),
  ...(facts.ssh_user === undefined ? {} : { ssh_user: facts.ssh_user }),
  ...(facts.ssh_port === undefined ? {} : { ssh_port: facts.ssh_port }),
})

/** Renews the lease of the launch during the call. */
const callProvider = async (ctx: Ctx<Actor>, row: store.InstanceRow): Promise<InstanceFacts> => {
  const timer = setInterval(() => {
    store
      .renewLaunch(ctx.db, row.id, leaseFrom(ctx))
      .catch((error: unknown) => ctx.log.warn({ err: error, instanceId: row.id }, 'could not renew a launch'))
  }, renewMs)
  try {
    const provider = await providerOf(ctx, row)
    return await provider.launch(await machineOf(ctx, row))
  } finally {
    clearInterval(timer)
  }
}

/** False if the launch was reverted during the call: its machine is already being removed. */
const recordLaunch = (ctx: Ctx<Actor>, instanceId: string, facts: InstanceFacts): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const row = await store.lockInstance(ctx.db, instanceId)
    if (!row) return false
    const now = ctx.now().toISOString()
    const launched = row.status === 'creating'
    await store.updateInstance(ctx.db, row.id, {
      ...factColumns(facts),
      launch_until: null,
      updated_at: now,
      ...(launched ? { status: facts.status === 'creating' ? 'pending_provider' : facts.status } : {}),
    })
    if (!launched) return false
    await changedEngine(ctx, row.engine_id)
    return true
  })

/** Launches the reserved machine. A repeated call returns the result of the first. */
export const launchEngine = async (ctx: Ctx<Actor>, engineId: string) => {
  const row = await store.findByEngine(ctx.db, engineId)
  if (row?.status !== 'creating') return shownEngine(ctx, engineId)
  const facts = await callProvider(ctx, row).catch(async (error: unknown) => {
    ctx.log.warn({ err: error, instanceId: row.id, cloud: row.cloud }, 'could not launch a machine')
    await undoLaunch(ctx, row.id, { certain: error instanceof LaunchFailed && error.certain })
    throw fail('internal_error', { cause: error })
  })
  if (!(await recordLaunch(ctx, row.id, facts)))
    throw fail('internal_error', { cause: new Error('The launch was reverted before the provider answered') })
  return shownEngine(ctx, engineId)
}

const hourMs = 3_600_000

/** Pays for more time on the same machine, at its original price. */
export const extendEngine = (ctx: Ctx<Member>, id: string, { end_time, hours }: ExtendEngine) =>
  ctx.tx(async (ctx) => {
    const engine = await lockWritableEngine(ctx, id)
    const rights = await engineRightsOf(ctx)
    rights.assertMaySpend()
    // An organization admin may manage the engine, but only the paying workspace may spend its money.
    if (engine.team_id !== ctx.actor.teamId)
      throw fail('forbidden', 'Only the workspace of a rented machine can pay for more time')
    const row = await store.lockByEngine(ctx.db, engine.id)
    const isAlive = row && row.ended_at === null && row.status !== 'creating'
    if (!isAlive || engine.status === 'stopped' || engine.status === 'stopping')
      throw fail('invalid_state', 'Only a running rented engine can be extended')
    const presentMs = Date.parse(row.end_time)
    const endMs = end_time === undefined ? presentMs + (hours ?? 1) * hourMs : Date.parse(end_time)
    const fault = extensionFault(ctx.now().getTime(), presentMs, endMs)
    if (fault !== null) throw fail('invalid_request', fault)
    const cost = costOfSpan(row.hourly_price, presentMs, endMs)
    const until = new Date(endMs).toISOString()
    const { payment } = await payFor(ctx, { ...row, user_id: ctx.actor.userId }, cost, `${row.name} until ${until}`)
    await store.updateInstance(ctx.db, row.id, {
      end_time: until,
      paid: row.paid + cost,
      payments: JSON.stringify(withPayment(row.payments as Payment[], payment)),
      updated_at: ctx.now().toISOString(),
    })
    await recordAudit(ctx, 'engine.extended', {
      resourceType: 'engine',
      resourceId: engine.id,
      meta: { end_time: until, paid: cost },
    })
    await changedEngine(ctx, engine.id)
    return shownEngine(ctx, engine.id)
  })
