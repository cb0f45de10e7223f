// Names on the bus that tasks speak and listen to.

export const taskSubject = (taskId: string): string => `task:${taskId}`
export const flowRunTasksSubject = (flowRunId: string): string => `flow_run_tasks:${flowRunId}`
/** Frames for an engine; whichever replica holds its socket forwards them. */
export const engineFrames = (engineId: string): string => `engine_frames:${engineId}`
/** Something can perhaps be dispatched now: a `QueueNews`. */
export const queueSubject = 'tasks:queue'
/** `waiting`: there is a new task · `free`: there is a worker, and perhaps nothing for it to do. */
export type QueueNews = 'waiting' | 'free'
export const queueNews = (news: QueueNews) => ({ subject: queueSubject, data: news })
