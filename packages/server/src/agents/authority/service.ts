// Explains the authority of a step: the chain from its starter down to the step, the scopes of each link, and for every
// tool call the rule or person that allowed it and the credential it used. Only for members of the workspace.
import type { Authority, AuthorityLink } from '@millrace/contract/authority'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertReadable, type Owned } from '#platform/tenancy/private-access.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { readableRun } from '../chats/service.ts'
import { type ChainStep, callLink, hiddenLink, linkOf, recordedBy, starterLink } from './links.ts'
import * as store from './store.ts'

type Ctxm = Ctx<Member>

/** Flows nest 16 deep and agents 5, with a task or call between two levels. No chain is longer. */
const maxDepth = 64

const triggerStep = async (ctx: Ctxm, id: string, started: ChainStep): Promise<ChainStep> => {
  const by = recordedBy(started)
  return { kind: 'trigger', id, row: await store.findTrigger(ctx.db, by.team_id, id), by }
}

const flowRunStep = async (ctx: Ctxm, id: string): Promise<ChainStep | undefined> => {
  const row = await store.findFlowRun(ctx.db, id)
  return row && { kind: 'flow_run', row }
}

const callStep = async (ctx: Ctxm, row: store.CallLink | undefined): Promise<ChainStep | undefined> => {
  const run = row && (await store.findRun(ctx.db, row.run_id))
  return row && run && { kind: 'tool', row, run }
}

const aboveRun = async (ctx: Ctxm, step: Extract<ChainStep, { kind: 'run' }>): Promise<ChainStep | undefined> => {
  const { tool_invocation_id: callId, flow_run_id: flowRunId, trigger_id: triggerId } = step.row
  // A sub-run inherits the trigger id of its parent; the trigger is reported at the top of the chain.
  if (callId !== null) return callStep(ctx, await store.findCall(ctx.db, callId))
  if (flowRunId !== null) return flowRunStep(ctx, flowRunId)
  return triggerId === null ? undefined : triggerStep(ctx, triggerId, step)
}

const aboveTask = async (ctx: Ctxm, step: Extract<ChainStep, { kind: 'task' }>): Promise<ChainStep | undefined> => {
  const { id, flow_run_id: flowRunId, chat_id: chatId, sub_flow_run_id: standsFor, metadata } = step.row
  if (flowRunId !== null) return flowRunStep(ctx, flowRunId)
  if (chatId !== null) {
    const call = await callStep(ctx, await store.findCallOfTask(ctx.db, id))
    if (call) return call
    const row = await store.findRunOfTask(ctx.db, { id, chatId, createdAt: step.row.created_at })
    return row && { kind: 'run', row }
  }
  const { trigger_id: triggerId } = metadata as { trigger_id?: unknown }
  if (typeof triggerId === 'string') return triggerStep(ctx, triggerId, step)
  const run = standsFor === null ? undefined : await store.findFlowRun(ctx.db, standsFor)
  return run && run.trigger_id !== null ? triggerStep(ctx, run.trigger_id, step) : undefined
}

/** The task behind a flow run is a link only if it has an app: a flow started by a node, a tool or an app's run. */
const aboveFlowRun = async (
  ctx: Ctxm,
  step: Extract<ChainStep, { kind: 'flow_run' }>,
): Promise<ChainStep | undefined> => {
  if (step.row.trigger_id !== null) return triggerStep(ctx, step.row.trigger_id, step)
  const row = await store.findTask(ctx.db, step.row.task_id)
  return row && row.app_id !== '' ? { kind: 'task', row } : undefined
}

const above = (ctx: Ctxm, step: ChainStep): Promise<ChainStep | undefined> => {
  switch (step.kind) {
    case 'run':
      return aboveRun(ctx, step)
    case 'task':
      return aboveTask(ctx, step)
    case 'flow_run':
      return aboveFlowRun(ctx, step)
    case 'tool':
      return Promise.resolve({ kind: 'run', row: step.run })
    case 'trigger':
      return Promise.resolve(undefined)
  }
}

/** The row whose visibility decides whether the link is shown. */
const ownedOf = (step: ChainStep) => {
  if (step.kind === 'trigger') return undefined
  const row = step.kind === 'tool' ? step.run : step.row
  return 'chat_user_id' in row ? { ...row, user_id: row.chat_user_id } : row
}

const shown = (ctx: Ctxm, step: ChainStep): AuthorityLink => {
  const owned = ownedOf(step)
  const link = linkOf(step)
  return owned && mayRead(ctx.actor, owned) === 'no' ? hiddenLink(link) : link
}

const chainTo = async (ctx: Ctxm, step: ChainStep): Promise<AuthorityLink[]> => {
  const steps = [step]
  let top: ChainStep = step
  for (let next = await above(ctx, top); next && steps.length < maxDepth; next = await above(ctx, top)) {
    steps.unshift(next)
    top = next
  }
  return [starterLink(top), ...steps.map((one) => shown(ctx, one))]
}

/** Even for a public resource, authority is only shown inside its workspace. */
const assertOwn = async <R extends Owned>(ctx: Ctxm, row: R | undefined, resource: string): Promise<R> =>
  assertReadable(ctx, row?.team_id === ctx.actor.teamId ? row : undefined, resource)

export const taskAuthority = async (ctx: Ctxm, id: string): Promise<Authority> => {
  const row = await assertOwn(ctx, await store.findTask(ctx.db, id), 'task')
  return { chain: await chainTo(ctx, { kind: 'task', row }), tools: [] }
}

export const flowRunAuthority = async (ctx: Ctxm, id: string): Promise<Authority> => {
  const row = await assertOwn(ctx, await store.findFlowRun(ctx.db, id), 'flow run')
  const tasks = await store.findTasksOfFlowRun(ctx.db, row.id)
  return {
    chain: await chainTo(ctx, { kind: 'flow_run', row }),
    tools: tasks.map((task) => shown(ctx, { kind: 'task', row: task })),
  }
}

export const runAuthority = async (ctx: Ctxm, id: string): Promise<Authority> => {
  const { run, chat } = await readableRun(ctx, id)
  const row = chat.team_id === ctx.actor.teamId ? await store.findRun(ctx.db, run.id) : undefined
  if (!row) throw fail('not_found', 'Run not found')
  const calls = await store.findCallsOfRun(ctx.db, row.id)
  return { chain: await chainTo(ctx, { kind: 'run', row }), tools: calls.map((call) => callLink(call, row)) }
}
