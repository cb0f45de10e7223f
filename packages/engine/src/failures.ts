// Two ways for a task to end badly. A TaskFailure carries the sentence its owner reads. A TaskStopped says that
// somebody asked for the end; who asked decides what is reported.

export class TaskFailure extends Error {
  override readonly name = 'TaskFailure'
}

export class TaskStopped extends Error {
  override readonly name = 'TaskStopped'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
