// What the rest of the server may ask of tasks.
export { cancelRow, forceCancelOverdue } from './cancel.ts'
export { asAccepted, eventsOf, toTask, toTaskResult } from './dto.ts'
export { createLogBook, type LogBook } from './log-book.ts'
export { assignStatement } from './move-store.ts'
export { move, rejectTask, reportStatus, statusEvent } from './moves.ts'
export { insertTasks, type NewTask, newTaskStatement, standingTasks } from './new-task-store.ts'
export { failTask, publishDelta, recordSample, setProgress } from './progress.ts'
export { placesOf } from './reads.ts'
export { rememberSent } from './sent.ts'
export { appTraceparent, taskKey } from './spans.ts'
export {
  countRunning,
  type Fence,
  findTask,
  hasEndedAs,
  isDispatched,
  isOnEngine,
  isOwnTask,
  isQueued,
  lockWaitingInSession,
  markAccepted,
  type SentTask,
  setChat,
  setSubFlowRun,
  strandedInSessions,
  type TaskRow,
  waitingInSession,
} from './store.ts'
export { urisIn } from './stored-uris.ts'
export { taskStream, waitForEnd } from './stream.ts'
export {
  engineFrames,
  flowRunTasksSubject,
  type QueueNews,
  queueNews,
  queueSubject,
  taskSubject,
} from './subjects.ts'
