import type { RunCause } from '#money/budgets/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

/** A run that is about to be accepted, with the id of its future task. */
export type PlannedRun = {
  readonly taskId: string
  readonly appId: string
  readonly versionId: string
  /** The workspace that published the app. */
  readonly authorTeamId: string
  readonly function: string
  readonly input: unknown
  /** The price of the app; null when it is free. */
  readonly pricing: unknown
  /** The origin of the run; empty when a caller started it. */
  readonly origin: {
    readonly flow_run_id?: string
    readonly chat_id?: string
    readonly agent_id?: string
    readonly began?: RunCause
  }
}

export type FlowTask = {
  readonly id: string
  readonly teamId: string
  readonly userId: string
  readonly flowVersionId: string
  readonly input: Record<string, unknown>
  readonly runAs: unknown
  readonly traceparent: string
}

/** Reserves the possible cost of the run, after its input was validated. Throws when the workspace cannot pay. */
export const reserveCost = extensionPoint<(ctx: Ctx<Member>, run: PlannedRun) => Promise<void>>('reserve cost')

/** Starts the flow run behind the task of a flow-backed app, in the transaction that creates the task. Returns its id. */
export const startFlowTask = extensionPoint<(ctx: Ctx<Actor>, task: FlowTask) => Promise<string>>('start flow task')
