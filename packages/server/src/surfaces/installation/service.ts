// Rules of the installation, for its staff: every workspace with its limits, and blocked addresses.
import type { ListRequest } from '@millrace/contract/common'
import { shortId } from '@millrace/contract/ids'
import type { CreateIpBlock, IpBlock, SetLimit, Workspace, WorkspaceLimit } from '@millrace/contract/installation'
import { assignPlan, clearEntitlement, endPlan, limitsOfWorkspace, setEntitlement } from '#accounts/plans/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { notify } from '#platform/db/notify.ts'
import { blocksChannel } from '#platform/http/block-requests.ts'
import { networkSet, parseNetwork } from '#platform/outbound/networks.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import { columnsOf, type ListSpec } from '#platform/tenancy/list/spec.ts'
import * as store from './store.ts'

const team = columnsOf('teams')
const workspaceList: ListSpec = {
  id: 'teams.id',
  columns: {
    id: team('id'),
    name: team('name'),
    username: team('username'),
    type: team('type'),
    status: team('status'),
    created_at: team('created_at', 'time'),
  },
  search: ['name', 'username'],
}

const toWorkspace = ({ billing_status, ...row }: store.WorkspaceRow): Workspace => ({
  ...row,
  short_id: shortId(row.id),
  billing_status: billing_status ?? 'active',
})

export const listWorkspaces = (ctx: Ctx, request: ListRequest) =>
  runList(store.workspacesQuery(ctx.db, ctx.now().toISOString()), {
    db: ctx.db,
    spec: workspaceList,
    request,
    toItem: toWorkspace,
    notice: ctx.notice,
  })

export const getWorkspace = async (ctx: Ctx, ref: string): Promise<Workspace> => {
  const row = await store.findWorkspace(ctx.db, ref, ctx.now().toISOString())
  if (!row) throw fail('not_found', 'Workspace not found')
  return toWorkspace(row)
}

export const listLimits = async (ctx: Ctx, ref: string): Promise<WorkspaceLimit[]> =>
  limitsOfWorkspace(ctx, (await getWorkspace(ctx, ref)).id)

export const setLimit = (ctx: Ctx, ref: string, resource: string, { limit, enforcement }: SetLimit) =>
  ctx.tx(async (ctx) => {
    const { id } = await getWorkspace(ctx, ref)
    await setEntitlement(ctx, id, resource, limit, enforcement === undefined ? {} : { enforcement })
    return limitsOfWorkspace(ctx, id)
  })

export const clearLimit = (ctx: Ctx, ref: string, resource: string): Promise<WorkspaceLimit[]> =>
  ctx.tx(async (ctx) => {
    const { id } = await getWorkspace(ctx, ref)
    await clearEntitlement(ctx, id, resource)
    return limitsOfWorkspace(ctx, id)
  })

export const putOnPlan = (ctx: Ctx, ref: string, plan: string): Promise<Workspace> =>
  ctx.tx(async (ctx) => {
    const { id } = await getWorkspace(ctx, ref)
    await assignPlan(ctx, id, plan)
    return getWorkspace(ctx, id)
  })

export const takeOffPlan = (ctx: Ctx, ref: string, plan: string): Promise<Workspace> =>
  ctx.tx(async (ctx) => {
    const { id } = await getWorkspace(ctx, ref)
    await endPlan(ctx, id, plan)
    return getWorkspace(ctx, id)
  })

const block = columnsOf('ip_blocks')
const blockList: ListSpec = {
  id: 'ip_blocks.id',
  columns: { id: block('id'), reason: block('reason'), created_at: block('created_at', 'time') },
  search: ['reason'],
}

export const listIpBlocks = (ctx: Ctx, request: ListRequest) =>
  runList(store.blocksQuery(ctx.db), {
    db: ctx.db,
    spec: blockList,
    request,
    toItem: (row: store.BlockRow): IpBlock => row,
    notice: ctx.notice,
  })

export const allIpBlocks = (ctx: Ctx<Actor>): Promise<IpBlock[]> => store.listBlocks(ctx.db)

const recordChange = async (ctx: Ctx<Actor>, action: string, { id, network }: Pick<IpBlock, 'id' | 'network'>) => {
  await recordAudit(ctx, action, { resourceType: 'ip_block', resourceId: id, meta: { network } })
  await notify(ctx.db, blocksChannel, '')
}

/** Blocks an address or a network on every server as soon as this commits. */
export const blockNetwork = (ctx: Ctx<Actor>, { network, reason = '' }: CreateIpBlock): Promise<IpBlock> =>
  ctx.tx(async (ctx) => {
    const parsed = parseNetwork(network)
    if (!parsed) throw fail('validation_error', `network: "${network}" is neither an address nor a network`)
    if (ctx.origin.ip !== '' && networkSet([parsed]).has(ctx.origin.ip))
      throw fail('conflict', `${network} contains your own address ${ctx.origin.ip}; blocking it would lock you out`)
    const row = await store.upsertBlock(ctx.db, network, reason)
    await recordChange(ctx, 'ip_block.set', row)
    return row
  })

export const liftBlock = (ctx: Ctx, ref: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = await store.deleteBlock(ctx.db, ref)
    if (!row) throw fail('not_found', 'Block not found')
    await recordChange(ctx, 'ip_block.lifted', row)
  })

/** By network, as the operator enters it. */
export const liftBlockOf = (ctx: Ctx<Actor>, network: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = parseNetwork(network) && (await store.deleteBlockOfNetwork(ctx.db, network))
    if (!row) throw fail('not_found', `${network} is not blocked`)
    await recordChange(ctx, 'ip_block.lifted', row)
  })
