// Reads of engines: single engines, lists, streams, and the workers that match a request.
import type { ListRequest } from '@millrace/contract/common'
import { resolveForRun } from '#execution/apps/service.ts'
import { fits, requirementsOf } from '#execution/dispatch/service.ts'
import { resourceStream } from '#platform/bus/resource-stream.ts'
import { type Actor, isMember, type Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { readSnapshot } from '#platform/db/read-snapshot.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { assertReadable, followerOf, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { embedOwners } from '#platform/tenancy/relations.ts'
import { type CloudMatch, instancesOf, matchCloud } from '../instances/service.ts'
import { describeEngine } from './describe.ts'
import { engineDto, workerSummaryDto } from './dto.ts'
import { engineSubject } from './reports.ts'
import * as store from './store.ts'
import { type WorkerRow, workersOf } from './worker-store.ts'

const engineList: ListSpec = {
  id: 'engines.id',
  columns: {
    id: { ref: 'engines.id', type: 'text' },
    name: { ref: 'engines.name', type: 'text' },
    status: { ref: 'engines.status', type: 'text' },
    visibility: { ref: 'engines.visibility', type: 'text' },
    engine_version: { ref: 'engines.engine_version', type: 'text' },
    created_at: { ref: 'engines.created_at', type: 'time' },
    updated_at: { ref: 'engines.updated_at', type: 'time' },
  },
  search: ['name'],
}

const readable = async (ctx: Ctx<Actor>, id: string) =>
  assertReadable(ctx, await store.findEngine(ctx.db, id), 'engine')

export const listEngines = async (ctx: Ctx<Actor>, request: ListRequest) => {
  const seen = listedWith(ctx.actor, 'engines', await listReach(ctx, request, 'engine'), request.permissions)
  // Loads the workers of the whole page with one query.
  const page = await runList(store.selectEngines(ctx.db).where(seen), {
    db: ctx.db,
    spec: engineList,
    request: { ...request, fields: [] },
    toItem: (row) => row,
    notice: ctx.notice,
  })
  const rows = page.items as store.EngineRow[]
  const ids = rows.map((row) => row.id)
  const workers = Map.groupBy(await workersOf(ctx.db, ids), (worker) => worker.engine_id)
  const instances = await instancesOf(ctx.db, ids)
  const keep = request.fields?.length ? new Set(['id', ...request.fields]) : null
  const items = rows.map((row): Partial<ReturnType<typeof engineDto>> => {
    const engine = engineDto(row, workers.get(row.id) ?? [], instances.get(row.id))
    return keep ? Object.fromEntries(Object.entries(engine).filter(([name]) => keep.has(name))) : engine
  })
  await embedOwners(ctx.db, rows, items, request.preloads)
  return { ...page, items }
}

const findDescribed = (ctx: Ctx<Actor>, id: string) =>
  readSnapshot(ctx.db, async (db) => {
    const row = await store.findEngine(db, id)
    return row && { row, data: await describeEngine(db, row) }
  })

export const getEngine = async (ctx: Ctx<Actor>, id: string) => {
  const found = await findDescribed(ctx, id)
  await assertReadable(ctx, found?.row, 'engine')
  if (!found) throw fail('not_found', 'Engine not found')
  return found.data
}

/** `lastSeen` is the number after which the caller resumes. */
export const streamEngine = async (
  ctx: Ctx<Actor>,
  id: string,
  lastSeen: number | null = null,
): Promise<EventStream> => {
  const engine = await readable(ctx, id)
  const { id: engineId } = engine
  const stillReads = followerOf(ctx, 'engine')
  const load = async () => {
    const found = await findDescribed(ctx, engineId)
    if (!found) throw fail('not_found', 'Engine not found')
    const { row, data } = found
    await stillReads(row)
    return { seq: row.event_seq, data, terminal: row.status === 'stopped' }
  }
  const source = {
    subject: engineSubject(engineId),
    load,
    isTerminal: (data: object) => 'status' in data && data.status === 'stopped',
  }
  return {
    single: true,
    finished: engine.status === 'stopped' && lastSeen !== null && lastSeen >= engine.event_seq,
    open: (signal) => resourceStream(ctx.bus, source, signal),
  }
}

type MatchRequest = {
  resources?: { gpu?: { count?: number; vram?: number; type?: string }; ram?: number }
  app_ids?: readonly string[]
}

/**
 * Anonymous callers only learn whether the cloud matches. Requirements without a match are part of the answer, not an
 * error.
 */
export const matchResources = async (ctx: Ctx<Actor>, request: MatchRequest) => {
  if (request.resources === undefined && !request.app_ids?.length)
    throw fail('invalid_request', '`resources` is required')
  const match = await matchNeeds(ctx, request).catch(refusalOnly)
  if (!isFailure(match)) return match
  return { private: { workers: [] }, cloud: pricesOf([]), error: match.message }
}

const matchNeeds = async (ctx: Ctx<Actor>, request: MatchRequest) => {
  const needs = request.resources
    ? requirementsOf(request.resources)
    : largest(
        await Promise.all(
          (request.app_ids ?? []).map(async (id) => (await resolveForRun(ctx, { app_id: id })).version.resources),
        ),
      )
  const engines = await store.listPresent(ctx.db)
  const workers = (
    await workersOf(
      ctx.db,
      engines.map((engine) => engine.id),
    )
  ).filter((worker) => worker.status !== 'inactive' && fits(needs, worker))
  const byId = new Map(engines.map((engine) => [engine.id, engine]))
  const own = isMember(ctx.actor) ? ownWorkers(ctx.actor, workers, byId) : []
  const offers = await matchCloud(ctx, needs)
  // Engines of the platform have no hourly price.
  const platformRuns = workers.some((worker) => byId.get(worker.engine_id)?.infra === 'cloud')
  const prices = [...(platformRuns ? [0] : []), ...offers.prices]
  if (prices.length === 0) addMismatchNotice(ctx, offers)
  return { private: { workers: own }, cloud: pricesOf(prices) }
}

/** Sorted by price. */
const pricesOf = (prices: readonly number[]) => ({
  can_run: prices.length > 0,
  min_price: prices[0] ?? 0,
  max_price: prices.at(-1) ?? 0,
})

/** Adds a notice that says why no offered machine matches. */
const addMismatchNotice = (ctx: Ctx<Actor>, { reasons }: CloudMatch): void =>
  ctx.notice({
    level: 'info',
    code: 'no_fit',
    message:
      reasons.length === 0
        ? 'This server offers no machines for rent'
        : `None of the machines for rent matches: ${reasons.join(', ')}`,
  })

const ownWorkers = (actor: Member, workers: readonly WorkerRow[], engines: ReadonlyMap<string, store.EngineRow>) =>
  workers.flatMap((worker) => {
    const engine = engines.get(worker.engine_id)
    if (engine?.team_id !== actor.teamId) return []
    // Other members cannot see a private engine, so its workers are omitted.
    if (engine.visibility === 'private' && engine.user_id !== actor.userId) return []
    return [workerSummaryDto(worker, engine.name)]
  })

const largest = (all: readonly unknown[]) => {
  const needs = all.map(requirementsOf)
  return {
    gpu_count: Math.max(0, ...needs.map((one) => one.gpu_count)),
    gpu_type: needs.find((one) => one.gpu_type !== '')?.gpu_type ?? '',
    gpu_vram: Math.max(0, ...needs.map((one) => one.gpu_vram)),
    ram: Math.max(0, ...needs.map((one) => one.ram)),
  }
}
