// Calls between features that do not import each other: a task that ends advances the flow run that waits for it.
// Features register their functions at assembly; the feature that owns the event calls them.
import type { Scope } from '@millrace/contract/scopes'
import type { Actor, Member } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { Failure } from './errors.ts'

/** The columns of a task row that listeners need. */
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
  /** Whether the end has to be charged. */
  readonly priced: boolean
  readonly flow_run_id: string | null
  readonly flow_node_id: string | null
  readonly sub_flow_run_id: string | null
  readonly chat_id: string | null
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

export type AgentNode = {
  readonly name: string
  readonly versionId: string
  readonly taskId: string
  readonly nodeId: string
  readonly flowRunId: string
  readonly traceparent: string
  readonly input: Record<string, unknown>
}

/** The workspace's connections hold tokens that are not valid for the provider's new address. */
export type MovedProvider = { readonly teamId: string; readonly slug: string }

export type ConnectedCredential = { readonly teamId: string; readonly provider: string; readonly id: string }

/** The cause of an agent run. Neither the run nor its chat has to be stored yet when its first task is accepted. */
export type RunCause = {
  readonly trigger_id: string | null
  readonly flow_run_id: string | null
  readonly task_id: string | null
  readonly agent_id: string | null
  /** The chat whose agent called this one. */
  readonly parent_chat_id: string | null
}

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
  /** The cause, if the run does not come from the run route. */
  readonly origin: {
    readonly flow_run_id?: string
    readonly chat_id?: string
    readonly agent_id?: string
    readonly began?: RunCause
  }
}

/** Runs in the transaction that ends a task. */
export type TaskEndedHook = {
  /**
   * False if the end needs no work. If it is false for all listeners, the task ends in one statement without a
   * transaction.
   */
  concerns(task: EndedTask): boolean
  run(ctx: Ctx<Actor>, task: EndedTask): Promise<void>
}

/** An engine that accepts no more work, with the reason. */
export type EndedEngine = { readonly id: string; readonly reason: string }

export type FoundTarget = { id: string; input_schema?: unknown; output_schema?: unknown }

/** The columns of a trigger that its action needs. */
export type FiredTrigger = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly agent_id: string | null
  readonly interrupt_id: string | null
}

export type FiredInput = {
  readonly id: string
  /** Trace context of the trigger event; empty without a trace. */
  readonly traceparent: string
  readonly input: { readonly input: Readonly<Record<string, unknown>>; readonly context?: unknown }
}

/** An action that a trigger can start. */
export type TriggerActionHook = {
  /**
   * The scope that the recorded grant needs when the trigger fires; null if a stronger scope was required to create the
   * trigger.
   */
  readonly scope: Scope | null
  readonly readScope: Scope
  /** Throws `not_found` if the actor may not use the target. */
  find(ctx: Ctx<Member>, id: string): Promise<FoundTarget>
  /** Returns one result per trigger event. */
  start(
    ctx: Ctx<Member>,
    trigger: FiredTrigger,
    fires: readonly FiredInput[],
  ): Promise<({ chatId: string } | Failure)[]>
}

/** A chat that is driven by a coding agent on a person's machine. */
export type DrivenChat = {
  readonly id: string
  readonly remote_id: string | null
  readonly profile_id: string | null
  readonly harness_session_id: string
  readonly active_run_id: string | null
  readonly deleted_at: string | null
}

/** The machines that drive chats. */
export type HarnessHook = {
  /** Called when a chat with a machine profile was inserted: opens its session, or throws the reason. */
  begun(ctx: Ctx<Member>, chat: DrivenChat): Promise<void>
  /** Throws if the machine is not connected. */
  assertReachable(ctx: Ctx<Member>, chat: DrivenChat): Promise<void>
  /** Whether the coding agent accepts messages while it works. */
  steers(ctx: Ctx<Actor>, chat: DrivenChat): Promise<boolean>
  /** The chat changed and the machine may need an update. Runs in the transaction of the change. */
  changed(ctx: Ctx<Actor>, chat: DrivenChat): Promise<void>
}

export type Hooks = {
  /**
   * Checks that the workspace can pay for a run and reserves the amount, or throws. Called after the input was
   * validated.
   */
  readonly balance: ((ctx: Ctx<Member>, run: PlannedRun) => Promise<void>)[]
  readonly taskEnded: TaskEndedHook[]
  /** The visibility of tasks was widened: resources that belong to them follow, in the same transaction. */
  readonly tasksShown: ((ctx: Ctx<Actor>, taskIds: readonly string[]) => Promise<void>)[]
  /** Runs in the transaction that ends the engine, and again when a stopping engine has disconnected. */
  readonly engineEnded: ((ctx: Ctx<Actor>, engine: EndedEngine) => Promise<void>)[]
  /** Runs in the transaction that archives a workspace. */
  readonly teamArchived: ((ctx: Ctx<Actor>, teamId: string) => Promise<void>)[]
  /** Runs in the transaction that ends a membership: ends all activities that run for this person. */
  readonly memberLeft: ((ctx: Ctx<Actor>, teamId: string, userId: string) => Promise<void>)[]
  /** Starts the flow run of a flow-backed app's task, in the transaction that inserts the task. Returns its id. */
  readonly startFlowTask: ((ctx: Ctx<Actor>, task: FlowTask) => Promise<string>)[]
  /** Stops the flow run of a task that is being canceled. */
  readonly cancelFlowRun: ((ctx: Ctx<Actor>, flowRunId: string) => Promise<void>)[]
  /** Starts the agent run of a flow node, and the task that represents it. */
  readonly startAgentNode: ((ctx: Ctx<Member>, node: AgentNode) => Promise<void>)[]
  /** By the name of the action. */
  readonly triggerActions: Map<string, TriggerActionHook>
  /** Runs in the transaction that creates a connection: work that waits for it continues. */
  readonly credentialConnected: ((ctx: Ctx<Actor>, connected: ConnectedCredential) => Promise<void>)[]
  /**
   * Ends connections in the transaction that changes their provider's address. The returned function runs after the
   * commit.
   */
  readonly providerMoved: ((ctx: Ctx, moved: MovedProvider) => Promise<() => Promise<void>>)[]
  readonly harness: HarnessHook[]
  /** A client reads a waiting task: adds a notice if the task waits for something that cannot happen. */
  readonly waitingShown: ((ctx: Ctx<Actor>, taskId: string) => Promise<void>)[]
}

export const createHooks = (): Hooks => ({
  balance: [],
  taskEnded: [],
  tasksShown: [],
  engineEnded: [],
  teamArchived: [],
  memberLeft: [],
  startFlowTask: [],
  cancelFlowRun: [],
  startAgentNode: [],
  triggerActions: new Map(),
  credentialConnected: [],
  providerMoved: [],
  harness: [],
  waitingShown: [],
})
