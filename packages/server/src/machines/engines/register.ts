// Registration: an engine registers and gets its workers. With a saved id, it updates its row. A registration is an
// explicit start, so the reason of an earlier stop is cleared.
import type { RegisterRequest, RegisterResponse, SystemInfo, WorkerConfig } from '@millrace/contract/engine-frames'
import { newId } from '@millrace/contract/ids'
import { type EngineRights, engineRightsOf } from '#accounts/access/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertWritable, type Owned } from '#platform/tenancy/private-access.ts'
import { chooseLayout, type Layout, type PlannedWorker, planWorkers } from './allocation.ts'
import { loseWork, retire } from './liveness.ts'
import { reportEngine } from './reports.ts'
import * as store from './store.ts'
import { factsOf, type MachineFacts, storedInfo } from './system-info.ts'
import { deleteWorkers, putWorker, workersOf } from './worker-store.ts'

export const servesAllError = 'An engine that serves all workspaces needs a key that platform staff created for it'

/**
 * A private engine may be started by its owner, with its own key, or (audited) by an administrator of the workspace.
 */
export const assertMayRun = async (ctx: Ctx<Member>, engine: Owned, rights: EngineRights): Promise<void> => {
  if (!rights.isMadeFor(engine.id)) await assertWritable(ctx, engine, 'engine')
}

export const register = (ctx: Ctx<Member>, request: RegisterRequest): Promise<RegisterResponse> =>
  ctx.tx(async (ctx) => {
    const { actor } = ctx
    const state = request.local_engine_state
    const savedId = state.id || state.engine_id || ''
    const known = savedId === '' ? undefined : await store.lockEngine(ctx.db, savedId)
    // An id of another workspace or of a deleted engine counts as unknown: the caller gets a new engine.
    const own = known && known.team_id === actor.teamId ? known : undefined
    const rights = await engineRightsOf(ctx)
    rights.assertMayBe(own?.id ?? null)
    if (own) await assertMayRun(ctx, { ...own, team_org_id: null }, rights)
    if (own?.infra === 'cloud' && !rights.servesAll) throw fail('forbidden', servesAllError)
    const engineId = own?.id ?? newId()
    const now = ctx.now().toISOString()
    const infra = rights.servesAll ? ('cloud' as const) : ('private' as const)
    const layout = layoutOf(own, request.worker_config)
    const values = { ...valuesOf(engineId, request, own, layout), infra }
    if (own) {
      // A registration implies that the previous process has ended and its tasks are lost.
      await loseWork(ctx, own.id, 'worker_lost: the engine was restarted')
      await store.changeEngine(ctx.db, engineId, ctx.now(), values)
    } else {
      const owner = { team_id: actor.teamId, user_id: actor.userId }
      await store.insertEngine(ctx.db, { id: engineId, ...owner, ...values, created_at: now, updated_at: now })
      await recordAudit(ctx, 'engine.registered', { resourceType: 'engine', resourceId: engineId })
    }
    await rights.bind(engineId)
    const machine = factsOf(request.system_info ?? (own?.system_info as SystemInfo | undefined))
    const workers = await allocate(ctx, engineId, planWorkers(layout.workers, machine), machine)
    await reportEngine(ctx, engineId)
    return { engine_id: engineId, workers, base_url: ctx.settings.BASE_URL }
  })

/** The columns of the engine; values omitted from the request stay unchanged. */
const valuesOf = (id: string, request: RegisterRequest, own: store.EngineRow | undefined, layout: Layout) => {
  const { local_engine_state: state, system_info: info } = request
  // A name that users set has precedence over the one that the machine reports.
  const name = (own?.named_by_hand ? '' : state.name) || own?.name || info?.hostname || 'engine'
  const config = { ...(state.config ?? (own?.config as object | undefined)), id, name, workers: layout.workers }
  return {
    name,
    api_url: request.api_url || own?.api_url || '',
    config: JSON.stringify({ ...config, api_key: '' }),
    planned_workers: layout.planned && JSON.stringify(layout.planned),
    overruled_workers: layout.overruled && JSON.stringify(layout.overruled),
    ...(info || !own ? { system_info: JSON.stringify(storedInfo(info)) } : {}),
    public_key: state.public_key ?? '',
    status: 'pending' as const,
    stop_reason: '',
  }
}

const layoutOf = (own: store.EngineRow | undefined, requested: WorkerConfig | null | undefined): Layout => {
  const { planned_workers: planned = null, overruled_workers: overruled = null, config } = own ?? {}
  const { workers = {} } = (config ?? {}) as { workers?: WorkerConfig }
  return chooseLayout({ planned, overruled, workers } as Layout, requested ?? null)
}

/** Existing workers are matched by index and kept; surplus workers are retired. */
const allocate = async (ctx: Ctx<Member>, engineId: string, planned: PlannedWorker[], machine: MachineFacts) => {
  const existing = new Map((await workersOf(ctx.db, [engineId])).map((worker) => [worker.index, worker]))
  const now = ctx.now().toISOString()
  const allocated: RegisterResponse['workers'] = []
  for (const worker of planned) {
    const id = existing.get(worker.index)?.id ?? newId()
    const gpus = worker.gpus.map((gpu) => ({
      id: newId(),
      worker_id: id,
      gpu_id: gpu.id,
      type: gpu.type,
      name: gpu.name,
      vram: gpu.vram,
      ...(worker.gpu_vram < worker.card_vram && { share: worker.gpu_vram }),
    }))
    const cpuRows = machine.cpus.map((cpu) => ({ id: newId(), worker_id: id, ...cpu }))
    const rams = [{ id: newId(), worker_id: id, total: machine.ram }]
    const values = {
      gpus: JSON.stringify(gpus),
      cpus: JSON.stringify(cpuRows),
      rams: JSON.stringify(rams),
      gpu_count: worker.gpu_count,
      gpu_type: worker.gpu_type,
      gpu_vram: worker.gpu_vram,
      card_vram: worker.card_vram,
      shared_gpus: worker.shared_gpus,
      ram: machine.ram,
      warm_apps: [],
      last_seen_at: now,
      updated_at: now,
    }
    const identity = {
      id,
      engine_id: engineId,
      user_id: ctx.actor.userId,
      team_id: ctx.actor.teamId,
      index: worker.index,
      created_at: now,
    }
    await putWorker(ctx.db, identity, values)
    allocated.push({ id, gpus, cpus: cpuRows, rams })
  }
  const surplus = [...existing.values()].filter((worker) => worker.index >= planned.length).map((worker) => worker.id)
  if (surplus.length > 0) {
    await retire(ctx, surplus, 'worker_lost: the engine registered without the worker')
    await deleteWorkers(ctx.db, surplus, now)
  }
  return allocated
}
