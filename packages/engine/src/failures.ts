// Two ways in which a task fails. A TaskFailure has a message for the task's owner. A TaskStopped means that the end
// was requested; the requester decides what is reported.

export class TaskFailure extends Error {
  override readonly name = 'TaskFailure'
}

export class TaskStopped extends Error {
  override readonly name = 'TaskStopped'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
