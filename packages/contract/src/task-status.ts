// The lifecycle of a task: its status codes on the wire, and all transitions in one table.

export const taskStatus = {
  received: 1,
  queued: 2,
  dispatched: 3,
  preparing: 4,
  serving: 5,
  setting_up: 6,
  running: 7,
  cancelling: 8,
  uploading: 9,
  completed: 10,
  failed: 11,
  cancelled: 12,
} as const

export type TaskStatusName = keyof typeof taskStatus
export type TaskStatus = (typeof taskStatus)[TaskStatusName]

const names = new Map<number, TaskStatusName>(
  Object.entries(taskStatus).map(([name, code]) => [code, name as TaskStatusName]),
)

export const taskStatusText = (code: number): string => names.get(code) ?? 'unknown'

export const isTerminal = (code: number): boolean => code >= taskStatus.completed

/**
 * A final status has no transitions. Any other may change to canceling or a final one; otherwise only forward, except
 * that a dispatch that the engine rejected is queued again.
 */
export const mayMove = (from: number, to: number): boolean => {
  if (isTerminal(from)) return false
  if (to === taskStatus.cancelling || isTerminal(to)) return true
  if (from === taskStatus.dispatched && (to === taskStatus.received || to === taskStatus.queued)) return true
  return to >= from
}

/** The codes from which `to` may be reached, for the `where` of an update. */
export const movesTo = (to: number): number[] => Object.values(taskStatus).filter((from) => mayMove(from, to))

export type TaskPhase = 'queue' | 'dispatch' | 'prepare' | 'setup' | 'run' | 'upload'

const phases: Readonly<Partial<Record<number, TaskPhase>>> = {
  [taskStatus.received]: 'queue',
  [taskStatus.queued]: 'queue',
  [taskStatus.dispatched]: 'dispatch',
  [taskStatus.preparing]: 'prepare',
  [taskStatus.serving]: 'prepare',
  [taskStatus.setting_up]: 'setup',
  [taskStatus.running]: 'run',
  [taskStatus.cancelling]: 'run',
  [taskStatus.uploading]: 'upload',
}

/** The name of the time that a task spends in a status; undefined for a finished task. */
export const phaseOf = (code: number): TaskPhase | undefined => phases[code]
