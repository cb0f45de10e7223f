// What flows say on the bus.
import type { FlowActionsEvent } from '@millrace/contract/flows'
import Type from 'typebox'
import { rowNews, teamSubject } from '#platform/bus/subjects.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { subjectOf } from '#platform/core/subject.ts'

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

type ListedFlow = { id: string; team_id: string; user_id: string; visibility: string }

/** Word to those of the workspace who may read the flow that their lists of flows have changed; what, they ask for. */
export const tellLists = (ctx: Ctx, flow: ListedFlow): void =>
  ctx.emit({ subject: teamSubject(flow.team_id), data: rowNews('flows', flow, {}, 'flows:read') })
