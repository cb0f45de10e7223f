// The workers of this engine and their tasks. Decides how to handle a frame from the server: accept, reject, repeat or
// cancel. Ids and attempts make every frame idempotent.

import type {
  RegisteredWorker,
  RejectReason,
  TaskRun,
  TerminalFrame,
  WorkerStatus,
  WorkerTelemetry,
} from '@millrace/contract/engine-frames'
import type { Launcher } from '../app-process/launcher.ts'
import type { GpuMemory } from '../machine/gpu-memory.ts'
import { type RunningTask, startTask, type TaskDependencies } from '../tasks/run-task.ts'
import { createWarmSlot, type WarmSlot } from './warm-slot.ts'
import { createWarmSlots } from './warm-slots.ts'

export type Pool = {
  run: (data: TaskRun['data']) => void
  // A frame for an older attempt than the running one is ignored.
  cancel: (named: { id: string; attempt?: number }, options: { force: boolean; timeoutMs: number }) => void
  endSession: (sessionId: string) => void
  refuseNew: () => void
  idle: () => Promise<void>
  // Ends all running tasks, then every process.
  stop: () => Promise<void>
  heartbeat: () => { statuses: Record<string, WorkerStatus>; tasks: Record<string, string | null> }
  telemetry: () => WorkerTelemetry[]
}

export type PoolOptions = {
  workers: readonly RegisteredWorker[]
  launcher: Launcher
  dependencies: TaskDependencies
  terminalOf: (taskId: string) => TerminalFrame | undefined
  idleMs: number
  unloadMs: number
  gpuMemory: GpuMemory
}

/** Warm processes of one worker with a GPU. The memory of the GPU usually allows fewer. */
export const maxGpuProcesses = 4

// How many ended tasks are remembered, so that a late frame does not run one again.
const rememberedEnds = 10_000

type Worker = { id: string; gpuIds: string[]; facts: RegisteredWorker; slot: WarmSlot; current?: RunningTask }

export const createPool = (options: PoolOptions): Pool => {
  const { dependencies } = options
  const workers = new Map(options.workers.map((facts) => [facts.id, createWorker(facts, options)]))
  const tasks = new Map<string, RunningTask>()
  // The attempt each task ended with, oldest first.
  const ended = new Map<string, number>()
  let refusing = false
  let onIdle: () => void = () => {}

  const reject = (data: TaskRun['data'], reason: RejectReason, busyWith?: string) =>
    dependencies.send({
      type: 'task_rejected',
      data: {
        task_id: data.task.id,
        attempt: data.task.attempt ?? 0,
        reason,
        ...(busyWith !== undefined && { busy_with_task: busyWith }),
      },
    })

  const accept = (data: TaskRun['data']) => {
    if (refusing) return reject(data, 'engine_draining')
    if (!data.task.worker_id) return reject(data, 'worker_id_nil')
    const worker = workers.get(data.task.worker_id)
    if (!worker) return reject(data, 'worker_not_found')
    if (worker.current) return reject(data, 'worker_busy', worker.current.id)
    dependencies.send({ type: 'task_accepted', data: { task_id: data.task.id, attempt: data.task.attempt ?? 0 } })
    begin(worker, data)
  }

  const begin = (worker: Worker, data: TaskRun['data']) => {
    const task = startTask(dependencies, { workerId: worker.id, gpuIds: worker.gpuIds, slot: worker.slot }, data)
    worker.current = task
    tasks.set(task.id, task)
    void task.released.then(() => {
      if (worker.current === task) delete worker.current
    })
    void task.done.then(() => {
      if (tasks.get(task.id) === task) tasks.delete(task.id)
      remember(task)
      if (tasks.size === 0) onIdle()
    })
  }

  const remember = ({ id, attempt }: RunningTask) => {
    ended.delete(id)
    ended.set(id, attempt)
    const [oldest] = ended.keys()
    if (ended.size > rememberedEnds && oldest !== undefined) ended.delete(oldest)
  }

  const run = (data: TaskRun['data']) => {
    const attempt = data.task.attempt ?? 0
    const known = tasks.get(data.task.id)
    if (known && known.attempt > attempt) return
    if (known && known.attempt === attempt) {
      return dependencies.send({ type: 'task_accepted', data: { task_id: known.id, attempt } })
    }
    if (known) {
      known.end('superseded')
      return void known.done.then(() => run(data))
    }
    const finished = options.terminalOf(data.task.id)
    if (finished?.data.attempt === attempt) return dependencies.send(finished)
    // Its end was already acknowledged; this frame was sent before that.
    if ((ended.get(data.task.id) ?? -1) >= attempt) return
    accept(data)
  }

  return {
    run,
    cancel: ({ id: taskId, attempt }, how) => {
      const task = tasks.get(taskId)
      if (!task || (attempt !== undefined && attempt !== task.attempt)) return
      void task.cancel(how).then((result) =>
        dependencies.send({
          type: 'task_cancel_result',
          data: { task_id: taskId, attempt: task.attempt, ...result },
        }),
      )
    },
    endSession: (sessionId) => {
      for (const worker of workers.values()) void worker.slot.endSession(sessionId)
    },
    refuseNew: () => {
      refusing = true
    },
    idle: () =>
      new Promise((resolve) => {
        onIdle = resolve
        if (tasks.size === 0) resolve()
      }),
    stop: async () => {
      refusing = true
      const running = [...tasks.values()]
      for (const task of running) task.end('engine_stopped')
      await Promise.all(running.map((task) => task.done))
      await Promise.all([...workers.values()].map((worker) => worker.slot.empty()))
    },
    heartbeat: () => ({
      statuses: Object.fromEntries([...workers.values()].map((worker) => [worker.id, statusOf(worker)])),
      tasks: Object.fromEntries([...workers.values()].map((worker) => [worker.id, worker.current?.id ?? null])),
    }),
    telemetry: () => [...workers.values()].map(describe),
  }
}

const createWorker = (facts: RegisteredWorker, options: PoolOptions): Worker => {
  const gpuIds = (facts.gpus ?? []).map((gpu) => String(gpu.gpu_id ?? gpu.id ?? '')).filter((id) => id !== '')
  const { launcher, idleMs, unloadMs, gpuMemory } = options
  const common = { gpuIds, launcher, idleMs, unloadMs }
  if (gpuIds.length === 0) return { id: facts.id, gpuIds, facts, slot: createWarmSlot(common) }
  const wholeBytes = Math.min(...(facts.gpus ?? []).map(({ share, vram }) => sizeOf(share) ?? sizeOf(vram) ?? Infinity))
  const slot = createWarmSlots({ ...common, gpu: { memory: gpuMemory, wholeBytes } }, maxGpuProcesses)
  return { id: facts.id, gpuIds, facts, slot }
}

/** How many processes all workers together keep. */
export const maxProcesses = (workers: readonly RegisteredWorker[]): number =>
  workers.reduce((sum, { gpus = [] }) => sum + (gpus.length > 0 ? maxGpuProcesses : 1), 0)

/** Undefined when the size of a card is unknown. */
const sizeOf = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 ? value : undefined)

/** The cards of all workers with their memory. */
export const cardsOf = (workers: readonly RegisteredWorker[]): Map<string, number> =>
  new Map(
    workers.flatMap(({ gpus = [] }) =>
      gpus.flatMap(({ gpu_id, vram }) => {
        const bytes = sizeOf(vram)
        return typeof gpu_id === 'string' && bytes !== undefined ? [[gpu_id, bytes] as const] : []
      }),
    ),
  )

const statusOf = (worker: Worker): WorkerStatus => (worker.current ? 'busy' : 'idle')

const describe = (worker: Worker): WorkerTelemetry => {
  const { appId, versionId, sessionId, warmApps, gpuBytes } = worker.slot.state()
  return {
    id: worker.id,
    status: statusOf(worker),
    task_id: worker.current?.id ?? null,
    app_id: appId,
    app_version_id: versionId,
    ...(sessionId !== undefined && { active_session_id: sessionId }),
    system_info: {
      ...{ cpus: worker.facts.cpus ?? [], gpus: worker.facts.gpus ?? [], rams: worker.facts.rams ?? [] },
      ...(worker.gpuIds.length > 0 && { gpu_memory_used: gpuBytes }),
    },
    warm_apps: warmApps,
  }
}
