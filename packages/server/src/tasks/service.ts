// What the rest of the server may ask of tasks.
export { cancelRow, forceCancelOverdue } from './cancel.ts'
export { eventsOf, toTask, toTaskResult } from './dto.ts'
export { hasResources, isInReach, takesWork, workerLabel, workerNumber } from './infra.ts'
export { createLogBook, type LogBook } from './log-book.ts'
export { move, reportStatus, statusEvent } from './moves.ts'
export { reservation } from './new-task-store.ts'
export { failTask, publishDelta, rejectTask, setProgress } from './progress.ts'
export { fits, type Needs, type Offer, requirementsOf } from './resources.ts'
export { type RunOrigin, startRun, webhookOf } from './run.ts'
export { startRuns } from './run-batch.ts'
export { rememberSent } from './sent.ts'
export { expireSessions, failStranded, finishSession } from './sessions.ts'
export { slotsOf } from './slots.ts'
export {
  type Fence,
  findTask,
  hasEndedAs,
  isDispatched,
  isOnEngine,
  isOwnTask,
  isQueued,
  markAccepted,
  type SentTask,
  type TaskRow,
} from './store.ts'
export { urisIn } from './stored-uris.ts'
export {
  engineFrames,
  flowRunTasksSubject,
  type PlacedTask,
  placedSubject,
  type QueueNews,
  queueNews,
  queueSubject,
  taskSubject,
} from './subjects.ts'
