// Names on the bus that tasks speak and listen to.
import type { ServerToEngine } from '@millrace/contract/engine-frames'
import Type from 'typebox'
import { resourceSubject } from '#platform/bus/resource-stream.ts'
import { subject, subjectOf } from '#platform/core/subject.ts'

export const taskSubject = resourceSubject('task')
export const flowRunTasksSubject = resourceSubject('flow_run_tasks')
/** Frames for an engine; whichever server holds its socket forwards them. */
export const engineFrames = subjectOf(
  'engine_frames',
  'holder',
  Type.Unsafe<ServerToEngine>(Type.Object({ type: Type.String(), data: Type.Object({}) })),
)
/** `waiting`: there is a new task · `free`: there is a worker, and perhaps nothing for it to do. */
export type QueueNews = 'waiting' | 'free'
/** Something can perhaps be dispatched now. */
export const queueSubject = subject(
  'tasks:queue',
  'one',
  Type.Unsafe<QueueNews>(Type.Union([Type.Literal('waiting'), Type.Literal('free')])),
)
export const queueNews = (news: QueueNews) => ({ subject: queueSubject, data: news })
