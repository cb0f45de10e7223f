// Changes of flow runs by users: cancel, metadata, visibility; and creating a flow from a run.
import type { Visibility } from '@millrace/contract/common'
import type { FlowRun, PatchFlowRun, ResumeQuery } from '@millrace/contract/flow-runs'
import type { Flow } from '@millrace/contract/flows'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertMayWiden, assertWritable } from '#platform/tenancy/private-access.ts'
import { createCopy, flowOfRun, pinnedVersion } from '../flows/service.ts'
import { resume } from './drive.ts'
import { flowRunDto } from './dto.ts'
import { cancelRun, endWait } from './engine/advance.ts'
import { findShownNodes } from './node-store.ts'
import { maySeeGraph, readable } from './reads.ts'
import { isResumeToken } from './resume-url.ts'
import * as store from './store.ts'
import { flowRunSubject } from './subjects.ts'
import { setVisibilityWithin } from './visibility.ts'
import { runSlices } from './yielding.ts'

const writable = async (ctx: Ctx<Member>, id: string) =>
  assertWritable(ctx, await store.findRun(ctx.db, id), 'flow run')

const saved = async (ctx: Ctx<Actor>, id: string): Promise<FlowRun> => {
  const row = await store.findRun(ctx.db, id)
  if (!row) throw fail('internal_error', { cause: new Error('A changed flow run does not exist') })
  return flowRunDto(row, await findShownNodes(ctx.db, [id]))
}

/** A finished run does not change. */
export const cancelFlowRun = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  await resume(ctx, id, {}, cancelRun)
}

export const cancel = (ctx: Ctx<Member>, id: string): Promise<FlowRun> =>
  ctx.tx(async (ctx) => {
    const run = await writable(ctx, id)
    await cancelFlowRun(ctx, run.id)
    return saved(ctx, run.id)
  })

/**
 * Continues a run at a node that waits for its resume URL. The token is the credential; unknown runs, nodes and tokens
 * are not distinguished.
 */
export const resumeNode = async (ctx: Ctx<Actor>, id: string, { node, token }: ResumeQuery, data: unknown) => {
  const found = await store.findRun(ctx.db, id)
  if (!found || !isResumeToken(ctx, found.id, node, token)) throw fail('not_found', 'Waiting node not found')
  return ctx.tx(async (ctx) => {
    let resumed = false
    await resume(ctx, found.id, { finished: [node] }, (plan, state, chance) => {
      const nodeState = state.nodes.get(node)
      resumed = nodeState?.status === 'waiting' && nodeState.kind === 'resume'
      return runSlices(endWait(plan, state, node, { event: 'resumed', data }, chance))
    })
    if (!resumed) throw fail('already_processed', 'The node does not wait; the URL works once')
    return { success: true }
  })
}

const metadataLimitBytes = 64 * 1024

/** All other fields are history. */
export const patch = (ctx: Ctx<Member>, id: string, { metadata }: PatchFlowRun): Promise<FlowRun> => {
  if (metadata === undefined) throw fail('invalid_request', 'The body contains no field that can be changed')
  if (JSON.stringify(metadata).length > metadataLimitBytes)
    throw fail('validation_error', `metadata must be at most ${metadataLimitBytes} bytes`)
  return ctx.tx(async (ctx) => {
    const run = await writable(ctx, id)
    const seq = await store.setMetadata(ctx.db, run.id, metadata, ctx.now().toISOString())
    ctx.emit({ subject: flowRunSubject(run.id), data: { seq } })
    return saved(ctx, run.id)
  })
}

export const setVisibility = (ctx: Ctx<Member>, id: string, visibility: Visibility): Promise<FlowRun> =>
  ctx.tx(async (ctx) => {
    const run = await writable(ctx, id)
    assertMayWiden(ctx, run, visibility)
    await setVisibilityWithin(ctx, run, visibility)
    await recordAudit(ctx, 'flow_run.visibility_changed', {
      resourceType: 'flow_run',
      resourceId: run.id,
      teamId: run.team_id,
      meta: { from: run.visibility, to: visibility },
    })
    return saved(ctx, run.id)
  })

/** A new flow with the graph that ran. */
export const clone = async (ctx: Ctx<Member>, id: string): Promise<Flow> => {
  const reader = ctx.as(readerWith(ctx.actor, 'flows:read'))
  const run = await readable(reader, id)
  if (!(await maySeeGraph(reader, run))) throw fail('not_found', 'Flow run not found')
  const version = await pinnedVersion(ctx.db, run.flow_version_id)
  if (!version) throw fail('internal_error', { cause: new Error(`Version ${run.flow_version_id} does not exist`) })
  const flow = await flowOfRun(ctx.db, run)
  return createCopy(
    ctx,
    flow?.name ?? 'flow',
    { title: flow?.title, description: flow?.description, graph: version.graph },
    { from_run: run.id },
  )
}
