// Names on the bus that tasks speak and listen to.

export const taskSubject = (taskId: string): string => `task:${taskId}`
export const flowRunTasksSubject = (flowRunId: string): string => `flow_run_tasks:${flowRunId}`
/** Frames for an engine; whichever replica holds its socket forwards them. */
export const engineFrames = (engineId: string): string => `engine_frames:${engineId}`
/** Something can perhaps be dispatched now. */
export const queueSubject = 'tasks:queue'
