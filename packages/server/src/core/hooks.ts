// Where one feature joins another's transaction without the other knowing it: a task that ends advances whatever waits
// for it. Filled by the features at assembly, called by the one that owns the moment.
import type { Actor, Member } from './actor.ts'
import type { Ctx } from './ctx.ts'

/** The part of a task row that those who wait for it need. */
export type EndedTask = {
  readonly id: string
  readonly team_id: string
  readonly user_id: string
  readonly status: number
  readonly output: unknown
  readonly error: string
  readonly engine_id: string | null
  readonly is_stream: boolean
  readonly session_id: string | null
  readonly updated_at: string
  /** Whether the end has to be paid for. */
  readonly priced: boolean
  readonly flow_run_id: string | null
  readonly flow_node_id: string | null
  readonly sub_flow_run_id: string | null
}

export type FlowTask = {
  readonly id: string
  readonly teamId: string
  readonly userId: string
  readonly flowVersionId: string
  readonly input: Record<string, unknown>
  readonly runAs: unknown
}

/** A run that is about to be accepted, under the id its task will have. */
export type PlannedRun = {
  readonly taskId: string
  readonly appId: string
  readonly versionId: string
  /** The workspace that published the app. */
  readonly authorTeamId: string
  readonly function: string
  readonly input: unknown
  /** What the app costs; null when it is free. */
  readonly pricing: unknown
}

/** What a feature does when a task ends, in the transaction that ends it. */
export type TaskEndedHook = {
  /** Whether this end means anything to it: an end that means nothing to anyone is one statement without a transaction. */
  concerns(task: EndedTask): boolean
  run(ctx: Ctx<Actor>, task: EndedTask): Promise<void>
}

export type Hooks = {
  /** Whether the workspace's usage policy lets it run this app; throws the refusal. Asked before requirements and input. */
  readonly usagePolicy: ((ctx: Ctx<Member>, run: PlannedRun) => Promise<void>)[]
  /** Whether the workspace can pay for it, and what it sets aside; throws the refusal. Asked once the input is good. */
  readonly balance: ((ctx: Ctx<Member>, run: PlannedRun) => Promise<void>)[]
  readonly taskEnded: TaskEndedHook[]
  /** Starts the flow run behind a flow-backed app's task, in the transaction that makes the task; returns its id. */
  readonly startFlowTask: ((ctx: Ctx<Actor>, task: FlowTask) => Promise<string>)[]
  /** Stops the flow run behind a task that is being cancelled. */
  readonly cancelFlowRun: ((ctx: Ctx<Actor>, flowRunId: string) => Promise<void>)[]
}

export const createHooks = (): Hooks => ({
  usagePolicy: [],
  balance: [],
  taskEnded: [],
  startFlowTask: [],
  cancelFlowRun: [],
})
