import type { QueueReason } from '@millrace/contract/tasks'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

/** The columns of a finished task that listeners read. */
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
  /** Whether the run is charged when it ends. */
  readonly priced: boolean
  readonly flow_run_id: string | null
  readonly flow_node_id: string | null
  readonly flow_item: number | null
  readonly sub_flow_run_id: string | null
  readonly chat_id: string | null
}

export type TaskEndedListener = {
  /** Without a concerned listener, the end of a task is a single statement and needs no transaction. */
  concerns(task: EndedTask): boolean
  run(ctx: Ctx<Actor>, task: EndedTask): Promise<void>
}

/** In the transaction that ends the task. */
export const taskEnded = extensionPoint<TaskEndedListener>('task ended')

/** In the transaction that widens the visibility of tasks: their artifacts and other resources become visible too. */
export const tasksMadeVisible =
  extensionPoint<(ctx: Ctx<Actor>, taskIds: readonly string[]) => Promise<void>>('tasks made visible')

/** The columns of a queued task that decide when it gets a worker. */
export type WaitingTask = {
  readonly id: string
  readonly team_id: string
  readonly user_id: string
  readonly infra: string
  readonly gpu_count: number
  readonly gpu_type: string
  readonly gpu_vram: number
  readonly ram: number
  readonly session_id: string | null
  readonly workers: readonly string[]
  readonly available_at: string
  readonly created_at: string
}

/** The reason why a queued task waits; null if it starts soon. */
export const queueReasonOfTask =
  extensionPoint<(ctx: Ctx<Actor>, task: WaitingTask) => Promise<QueueReason | null>>('queue reason of task')

/** A caller reads a queued task: adds the notice that says why the task waits. */
export const queuedTaskRead = extensionPoint<(ctx: Ctx<Actor>, taskId: string) => Promise<void>>('queued task read')

/** Stops the flow run behind a task that is being canceled. */
export const cancelFlowRunOfTask =
  extensionPoint<(ctx: Ctx<Actor>, flowRunId: string) => Promise<void>>('cancel flow run of task')
