import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

export type AgentNode = {
  readonly name: string
  readonly versionId: string
  readonly taskId: string
  readonly nodeId: string
  readonly flowRunId: string
  readonly traceparent: string
  readonly input: Record<string, unknown>
}

/** Starts the run of an agent node, and the task that represents it in the flow run. */
export const startAgentNode = extensionPoint<(ctx: Ctx<Member>, node: AgentNode) => Promise<void>>('start agent node')
