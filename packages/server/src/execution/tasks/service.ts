// What the rest of the server may ask of tasks.
export { cancelRow } from './cancel.ts'
export { asAccepted, eventsOf, taskDto, taskResultDto } from './dto.ts'
export {
  isDispatched,
  isOnEngine,
  isQueued,
  isQueuedOfAnyKind,
  isStillQueued,
  liveStatuses,
  neverAvailable,
  statusCode,
} from './fragments.ts'
export { createLogBook, type LogBook } from './log-book.ts'
export { assignStatement } from './move-store.ts'
export { move, rejectTask, reportStatus, statusEvent } from './moves.ts'
export { insertTasks, type Lack, type NewTask, newTaskStatement, standingTasks } from './new-task-store.ts'
export { failTask, hasEndedAs, isOwnTask, markAccepted, publishDelta, recordSample, setProgress } from './progress.ts'
export { placesOf } from './reads.ts'
export type { Fence, SentTask, TaskRow } from './row.ts'
export { findStreamedTask, showTasksAs } from './run-tasks.ts'
export { rememberSent } from './sent.ts'
export { appTraceparent, taskKey } from './spans.ts'
export { lockStandIn, standForChat, standForFlowRun } from './stand-ins.ts'
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
export { noticeUnsigned } from './webhooks.ts'
export { lockTasksOfChats, narrowTasksOfChats } from './writes.ts'
