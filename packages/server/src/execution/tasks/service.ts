// The task functions that other features may call.
export { cancelRow } from './cancel.ts'
export { asAccepted, eventsOf, taskDto, taskResultDto } from './dto.ts'
export { findStreamedTask, showTasksAs } from './flow-run-tasks.ts'
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
export { createLogWriter, type LogWriter } from './log-writer.ts'
export { assignStatement } from './move-store.ts'
export { move, rejectTask, reportStatus, statusEvent } from './moves.ts'
export {
  type InsertedRow,
  type InsertedTask,
  insertTasks,
  type NewTask,
  newTaskStatement,
  type OtherWorkspaces,
  placementKey,
  representingTasks,
  type UnmetRequirement,
} from './new-task-store.ts'
export { failTask, hasEndedAs, isOwnTask, markAccepted, publishDelta, recordSample, setProgress } from './progress.ts'
export { assignmentsOf, getTask } from './reads.ts'
export { wasReported } from './reported.ts'
export { lockRepresentingTask, nodeTask, representChat, representFlowRun } from './representing-tasks.ts'
export type { Fence, SentTask, TaskRow } from './row.ts'
export { addSent } from './sent-tasks.ts'
export { appTraceparent, taskKey } from './spans.ts'
export { urisIn } from './stored-uris.ts'
export { taskStream, waitForEnd } from './stream.ts'
export {
  engineFrames,
  flowRunTasksSubject,
  type QueueEvent,
  queueEvent,
  queueSubject,
  taskSubject,
  unwantedSubject,
} from './subjects.ts'
export { noticeUnsigned } from './webhooks.ts'
export { lockTasksOfChats, narrowTasksOfChats } from './writes.ts'
