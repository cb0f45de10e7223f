// Names on the bus that dispatching listens to.
import Type from 'typebox'
import { subject, subjectOf } from '#platform/core/subject.ts'
import type { SentTask } from '../tasks/service.ts'

export type PlacedTask = { readonly task: SentTask; readonly public_key: string }

/** A task was given to a worker of this engine, and has to be sent there by whichever server holds the engine's socket. */
export const placedSubject = subjectOf(
  'placed',
  'holder',
  Type.Unsafe<PlacedTask>(Type.Object({ task: Type.Object({ id: Type.String() }), public_key: Type.String() })),
)

/** Somebody has looked, and something waits: a worker that becomes free anywhere may be asked for. */
export const leftWaitingSubject = subject('tasks:left_waiting', 'everyone', Type.Null())
