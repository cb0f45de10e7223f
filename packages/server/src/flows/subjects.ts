// What flows say on the bus.
import type { FlowActionsEvent } from '@millrace/contract/flows'
import Type from 'typebox'
import { subjectOf } from '../core/subject.ts'

/** A batch of actions that was applied, or word that something else about the flow is different now. */
export type FlowNews = { actions: FlowActionsEvent } | { changed: true }

export const flowSubject = subjectOf(
  'flow',
  'everyone',
  Type.Unsafe<FlowNews>(
    Type.Union([
      Type.Object({ actions: Type.Object({ version: Type.Integer() }) }),
      Type.Object({ changed: Type.Literal(true) }),
    ]),
  ),
  { brief: (): FlowNews => ({ changed: true }) },
)
