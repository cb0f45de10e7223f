// Bus subjects of tasks.
import type { ServerToEngine } from '@millrace/contract/engine-frames'
import Type from 'typebox'
import { resourceSubject } from '#platform/bus/resource-stream.ts'
import { subject, subjectOf } from '#platform/core/subject.ts'

export const taskSubject = resourceSubject('task')
export const flowRunTasksSubject = resourceSubject('flow_run_tasks')
/** Frames for an engine; the server that holds its socket forwards them. */
export const engineFrames = subjectOf(
  'engine_frames',
  'holder',
  Type.Unsafe<ServerToEngine>(Type.Object({ type: Type.String(), data: Type.Object({}) })),
)
/** A task whose caller stopped it: later deltas are not stored. */
export const unwantedSubject = subject('tasks:unwanted', 'everyone', Type.Object({ taskId: Type.String() }))
/** `waiting`: a task was queued · `free`: a worker may have become idle. */
export type QueueEvent = 'waiting' | 'free'
/** Published when a dispatch may be possible. */
export const queueSubject = subject(
  'tasks:queue',
  'one',
  Type.Unsafe<QueueEvent>(Type.Union([Type.Literal('waiting'), Type.Literal('free')])),
)
export const queueEvent = (event: QueueEvent) => ({ subject: queueSubject, data: event })
