// Replays a finished run from its record. Starts nothing and stores nothing.
import type { FlowRunReplay, ReplayFlowRun } from '@millrace/contract/flow-runs'
import { taskStatus } from '@millrace/contract/task-status'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { pinnedVersion } from '../flows/service.ts'
import { type RecordedTask, type Recording, replayRun } from './engine/replay.ts'
import { isRunOver } from './engine/statuses.ts'
import { toRunState } from './node-rows.ts'
import { loadAllNodes } from './node-store.ts'
import { loadPlan } from './plans.ts'
import { maySeeGraph, readable } from './reads.ts'
import { findNodeEvents, findRecordedTasks, type RecordedRow, sizeOfRecord } from './replay-store.ts'
import { resumeUrl } from './resume-url.ts'
import type { RunRow } from './store.ts'
import { drain } from './yielding.ts'

const maxRecordBytes = 64 * 1024 * 1024

export const replay = async (ctx: Ctx<Member>, id: string, { version_id }: ReplayFlowRun): Promise<FlowRunReplay> => {
  const reader = ctx.as(readerWith(ctx.actor, 'flows:read'))
  const run = await readable(reader, id)
  if (!(await maySeeGraph(reader, run))) throw fail('not_found', 'Flow run not found')
  const { plan } = await planOf(ctx, run, version_id)
  if ((await sizeOfRecord(ctx.db, run.id)) > maxRecordBytes)
    throw fail('invalid_state', `The record of the flow run is larger than ${maxRecordBytes} bytes`)
  const ran = await loadPlan(ctx.db, run.flow_version_id, run.graph_version)
  const state = toRunState(ran.plan, run, await loadAllNodes(ctx.db, run.id))
  if (!isRunOver(state.status)) throw fail('invalid_state', 'The run is not over yet')
  if (state.status === 'cancelled') throw fail('invalid_state', 'A cancelled run cannot be replayed')
  const recording = { run: state, tasks: await tasksOf(ctx, run.id), order: await orderOf(ctx, run.id) }
  const first = await drain(replayRun(plan, recording, (nodeId) => resumeUrl(ctx, run.id, nodeId)))
  return first ? { equal: false, first_difference: first } : { equal: true }
}

/** Only versions of the same flow: others are not part of the run that the caller may read. */
const planOf = async (ctx: Ctx<Member>, run: RunRow, versionId = run.flow_version_id) => {
  const version = await pinnedVersion(ctx.db, versionId)
  if (version?.flow_id !== run.flow_id) throw fail('not_found', 'Version not found')
  return loadPlan(ctx.db, version.id, version.graph_version)
}

const tasksOf = async (ctx: Ctx<Member>, runId: string): Promise<Recording['tasks']> => {
  const tasks = new Map<string, RecordedTask[]>()
  for (const row of await findRecordedTasks(ctx.db, runId)) {
    const known = tasks.get(row.flow_node_id) ?? []
    tasks.set(row.flow_node_id, [...known, { input: row.input, outcome: outcomeOf(row) }])
  }
  return tasks
}

const orderOf = async (ctx: Ctx<Member>, runId: string): Promise<Recording['order']> => {
  const order = new Map<string, number[]>()
  for (const { node_id, seq } of await findNodeEvents(ctx.db, runId)) {
    const known = order.get(node_id) ?? []
    known.push(seq)
    order.set(node_id, known)
  }
  return order
}

const outcomeOf = ({ status, output, error }: RecordedRow): RecordedTask['outcome'] => {
  if (status === taskStatus.completed) return { output: output ?? null }
  return status === taskStatus.failed ? { error: error || 'the task failed', code: 'task_failed' } : 'cancelled'
}
