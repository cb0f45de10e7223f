import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

/** A node that another run does the work of. `name`: id or ref. */
export type NodeRun = {
  readonly name: string
  readonly versionId: string
  readonly taskId: string
  readonly nodeId: string
  /** The index of an item of a loop. */
  readonly item: number | null
  readonly flowRunId: string
  readonly traceparent: string
  readonly input: Record<string, unknown>
}

/** Starts the run of an agent node, and the task that represents it in the flow run. */
export const startAgentNode = extensionPoint<(ctx: Ctx<Member>, node: NodeRun) => Promise<void>>('start agent node')

/** The same for a flow node. Its listener is in this feature; starting a run needs the code that runs its nodes. */
export const startFlowNode = extensionPoint<(ctx: Ctx<Member>, node: NodeRun) => Promise<void>>('start flow node')
