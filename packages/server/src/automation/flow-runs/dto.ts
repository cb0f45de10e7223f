// A flow run as a wire object.
import type { FlowRun, NodeWait, NodeWaitKind } from '@millrace/contract/flow-runs'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { ShownNode } from './node-store.ts'
import type { RunRow } from './store.ts'

type NodeParts = Pick<FlowRun, 'node_tasks' | 'node_outputs'>

export const nodeParts = (nodes: readonly ShownNode[]): NodeParts => {
  const tasks: [string, { task_id: string; task: unknown }][] = []
  const outputs: [string, { value: unknown }][] = []
  for (const { node_id, task_id, output } of nodes) {
    if (task_id !== null) tasks.push([node_id, { task_id, task: null }])
    if (output !== null) outputs.push([node_id, { value: output.value ?? null }])
  }
  return {
    node_tasks: Object.fromEntries(tasks),
    node_outputs: outputs.length > 0 ? Object.fromEntries(outputs) : null,
  }
}

/** `urlOf` gives the resume URL of a node, for callers who may use it. */
export const nodeWaits = (
  nodes: readonly ShownNode[],
  urlOf: ((nodeId: string) => string) | undefined,
): Record<string, NodeWait> | undefined => {
  const waits = nodes.flatMap(({ node_id, waits_for, deadline_ms }): [string, NodeWait][] => {
    if (waits_for === null) return []
    const kind = waits_for as NodeWaitKind
    const until = deadline_ms === null ? {} : { until: new Date(deadline_ms).toISOString() }
    return [[node_id, { kind, ...until, ...(kind === 'resume' && urlOf && { url: urlOf(node_id) }) }]]
  })
  return waits.length === 0 ? undefined : Object.fromEntries(waits)
}

export const flowRunDto = (row: RunRow, nodes: readonly ShownNode[]): FlowRun => ({
  ...resourceFields(row),
  visibility: row.visibility as FlowRun['visibility'],
  flow_id: row.flow_id,
  flow_version_id: row.flow_version_id,
  task_id: row.task_id,
  status: row.status,
  input: row.input as Record<string, unknown>,
  output: row.output,
  ...(row.error === '' ? {} : { error: row.error }),
  fail_on_error: row.fail_on_error,
  ...nodeParts(nodes),
  ...(row.origin_run_id === null ? {} : { origin_run_id: row.origin_run_id }),
  ...(row.trigger_id === null ? {} : { trigger_id: row.trigger_id }),
  metadata: row.metadata as Record<string, unknown>,
  ...(row.started_at === null ? {} : { flow_run_started: row.started_at }),
  ...(row.finished_at === null ? {} : { flow_run_finished: row.finished_at }),
  ...(row.cancelled_at === null ? {} : { flow_run_cancelled: row.cancelled_at }),
})
