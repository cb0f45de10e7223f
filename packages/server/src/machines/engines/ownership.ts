// Transfers and visibility of engines.
import { engineRightsOf } from '#accounts/access/service.ts'
import { requireTransfer } from '#accounts/teams/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertMayWiden, assertWritable } from '#platform/tenancy/private-access.ts'
import { machineGone } from '#platform/ws/machine-sockets.ts'
import { instancesOf } from '../instances/service.ts'
import { shown } from './control.ts'
import { reportEngine } from './reports.ts'
import * as store from './store.ts'
import { transferWorkersOf } from './worker-store.ts'

const writable = async (ctx: Ctx<Member>, id: string) => {
  const row = await assertWritable(ctx, await store.findEngine(ctx.db, id), 'engine')
  const rights = await engineRightsOf(ctx)
  rights.assertMayBe(row.id)
  return row
}

const set = async (ctx: Ctx<Member>, id: string, values: { visibility?: string; team_id?: string }): Promise<void> => {
  await store.changeEngine(ctx.db, id, ctx.now(), values)
  await reportEngine(ctx, id, { isSeenByOthers: true })
}

export const setEngineVisibility = (ctx: Ctx<Member>, id: string, visibility: string) =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    assertMayWiden(ctx, row, visibility)
    await set(ctx, row.id, { visibility })
    return shown(ctx, row.id)
  })

export const transferEngine = (ctx: Ctx<Member>, id: string, teamId: string) =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    if ((await instancesOf(ctx.db, [row.id])).size > 0)
      throw fail('invalid_state', 'A rented engine stays with the workspace that pays for it')
    const target = await requireTransfer(ctx, row.team_id, teamId)
    await set(ctx, row.id, { team_id: target.id })
    await transferWorkersOf(ctx.db, row.id, target.id)
    // The connection was opened with a credential of the former workspace.
    ctx.emit({ subject: machineGone(`engine/${row.id}`), data: null })
    await recordAudit(ctx, 'engine.transferred', {
      resourceType: 'engine',
      resourceId: row.id,
      teamId: row.team_id,
      meta: { to: target.id },
    })
    return shown(ctx, row.id)
  })
