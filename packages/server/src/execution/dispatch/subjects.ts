// Bus subjects of dispatch.
import Type from 'typebox'
import { subject, subjectOf } from '#platform/core/subject.ts'
import type { SentTask } from '../tasks/service.ts'

export type PlacedTask = { readonly task: SentTask; readonly public_key: string }

/** A task was assigned to a worker of this engine; the server that holds the engine's socket must send it. */
export const placedSubject = subjectOf(
  'placed',
  'holder',
  Type.Unsafe<PlacedTask>(Type.Object({ task: Type.Object({ id: Type.String() }), public_key: Type.String() })),
)

/** Tasks are still queued after a query: a worker that becomes idle on any server may be needed. */
export const stillQueuedSubject = subject('tasks:left_waiting', 'everyone', Type.Null())
