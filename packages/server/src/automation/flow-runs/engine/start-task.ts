// The task of a node: of an app, an agent or a flow.
import { agentOf, type PlanNode } from './plan.ts'

export type StartTask = {
  type: 'start'
  nodeId: string
  taskId: string
  attempt: number
  appId: string
  appVersionId: string
  function: string
  infra: string
  workers: string[]
  setup: unknown
  input: Record<string, unknown>
  /** For an agent node, which has no app. */
  agent?: { name: string; versionId: string }
  /** For a flow node. */
  flow?: { name: string; versionId: string }
  deadlineMs?: number
  /** The index of an item of a loop. */
  item?: number
}

type Call = Pick<StartTask, 'taskId' | 'attempt' | 'input'> & { deadlineMs?: number | undefined; item?: number }

export const startTaskOf = (
  { id, type, data }: PlanNode,
  { taskId, attempt, input, deadlineMs, item }: Call,
): StartTask => ({
  type: 'start',
  nodeId: id,
  taskId,
  attempt,
  appId: data.app_id ?? '',
  appVersionId: data.app_version_id ?? '',
  function: data.function ?? '',
  infra: data.infra ?? '',
  workers: data.workers ?? [],
  setup: data.setup ?? null,
  input,
  ...(type === 'agentNode' && { agent: { name: agentOf(data), versionId: data.agent_version_id ?? '' } }),
  ...(type === 'flow' && { flow: { name: data.flow ?? '', versionId: data.flow_version_id ?? '' } }),
  ...(deadlineMs !== undefined && { deadlineMs }),
  ...(item !== undefined && { item }),
})
