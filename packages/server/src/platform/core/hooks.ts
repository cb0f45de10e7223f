// Where one feature joins another's transaction without the other knowing it: a task that ends advances whatever waits
// for it. Filled by the features at assembly, called by the one that owns the moment.
import type { Scope } from '@millrace/contract/scopes'
import type { Actor, Member } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { Failure } from './errors.ts'

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

/** What a workspace's connections to it hold is no longer for where it leads. */
export type MovedProvider = { readonly teamId: string; readonly slug: string }

export type ConnectedCredential = { readonly teamId: string; readonly provider: string; readonly id: string }

/** What began the run of an agent: neither it nor its chat need be written when its first task is accepted. */
export type RunCause = {
  readonly trigger_id: string | null
  readonly flow_run_id: string | null
  readonly task_id: string | null
  readonly agent_id: string | null
  /** The chat whose agent asked this one. */
  readonly parent_chat_id: string | null
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
  /** What started it, when nobody called the run route. */
  readonly origin: {
    readonly flow_run_id?: string
    readonly chat_id?: string
    readonly agent_id?: string
    readonly began?: RunCause
  }
}

/** What a feature does when a task ends, in the transaction that ends it. */
export type TaskEndedHook = {
  /** Whether this end means anything to it: an end that means nothing to anyone is one statement without a transaction. */
  concerns(task: EndedTask): boolean
  run(ctx: Ctx<Actor>, task: EndedTask): Promise<void>
}

/** An engine that will take no more work, and why. */
export type EndedEngine = { readonly id: string; readonly reason: string }

export type FoundTarget = { id: string; input_schema?: unknown; output_schema?: unknown }

/** The part of a trigger that its action needs. */
export type FiredTrigger = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly agent_id: string | null
  readonly interrupt_id: string | null
}

export type FiredInput = {
  readonly id: string
  /** Of the trace that the fire is part of; empty without one. */
  readonly traceparent: string
  readonly input: { readonly input: Readonly<Record<string, unknown>>; readonly context?: unknown }
}

/** What a trigger can do that the feature of triggers does not know itself. */
export type TriggerActionHook = {
  /** What the recorded grant must hold when the trigger fires; null where the one who set it up had to hold more. */
  readonly scope: Scope | null
  readonly readScope: Scope
  /** Throws `not_found` unless the actor may have it done. */
  find(ctx: Ctx<Member>, id: string): Promise<FoundTarget>
  /** One outcome for each fire. */
  start(
    ctx: Ctx<Member>,
    trigger: FiredTrigger,
    fires: readonly FiredInput[],
  ): Promise<({ chatId: string } | Failure)[]>
}

/** A chat that a coding agent on somebody's machine drives. */
export type DrivenChat = {
  readonly id: string
  readonly remote_id: string | null
  readonly profile_id: string | null
  readonly harness_session_id: string
  readonly active_run_id: string | null
  readonly deleted_at: string | null
}

/** The machines behind such chats. */
export type HarnessHook = {
  /** A chat with an agent that such a profile thinks for has been written: opens its session, or throws why not. */
  begun(ctx: Ctx<Member>, chat: DrivenChat): Promise<void>
  /** Throws the refusal when the machine cannot be spoken to now. */
  assertReachable(ctx: Ctx<Member>, chat: DrivenChat): Promise<void>
  /** Whether its agent hears a message while it works. */
  steers(ctx: Ctx<Actor>, chat: DrivenChat): Promise<boolean>
  /** Something changed that the machine may have to hear. In the transaction of the change. */
  changed(ctx: Ctx<Actor>, chat: DrivenChat): Promise<void>
}

export type Hooks = {
  /** Whether the workspace can pay for it, and what it sets aside; throws the refusal. Asked once the input is good. */
  readonly balance: ((ctx: Ctx<Member>, run: PlannedRun) => Promise<void>)[]
  readonly taskEnded: TaskEndedHook[]
  /** Others may see these tasks than before: what belongs to them follows, in the transaction that says so. */
  readonly tasksShown: ((ctx: Ctx<Actor>, taskIds: readonly string[]) => Promise<void>)[]
  /** In the transaction that ends the engine; told again when one that was told to stop has gone. */
  readonly engineEnded: ((ctx: Ctx<Actor>, engine: EndedEngine) => Promise<void>)[]
  /** In the transaction that archives a workspace. */
  readonly teamArchived: ((ctx: Ctx<Actor>, teamId: string) => Promise<void>)[]
  /** In the transaction that ends a membership: what goes on in the person's name is to end. */
  readonly memberLeft: ((ctx: Ctx<Actor>, teamId: string, userId: string) => Promise<void>)[]
  /** Starts the flow run behind a flow-backed app's task, in the transaction that makes the task; returns its id. */
  readonly startFlowTask: ((ctx: Ctx<Actor>, task: FlowTask) => Promise<string>)[]
  /** Stops the flow run behind a task that is being cancelled. */
  readonly cancelFlowRun: ((ctx: Ctx<Actor>, flowRunId: string) => Promise<void>)[]
  /** Starts the run of an agent that is a node of a flow, and the task that stands for it. */
  readonly startAgentNode: ((ctx: Ctx<Member>, node: AgentNode) => Promise<void>)[]
  /** By the name of the action. */
  readonly triggerActions: Map<string, TriggerActionHook>
  /** A connection was made: what waited for it can go on. In the transaction that makes it. */
  readonly credentialConnected: ((ctx: Ctx<Actor>, connected: ConnectedCredential) => Promise<void>)[]
  /** Ends connections in the transaction that moves their provider; what it returns is to be called once that is written. */
  readonly providerMoved: ((ctx: Ctx, moved: MovedProvider) => Promise<() => Promise<void>>)[]
  readonly harness: HarnessHook[]
  /** Somebody looks at a task that waits: a notice says what for, where it waits in vain. */
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
