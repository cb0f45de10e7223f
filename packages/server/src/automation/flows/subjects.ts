// Bus messages of flows.
import type { FlowActionsEvent } from '@millrace/contract/flows'
import Type from 'typebox'
import { rowUpdate, teamSubject } from '#platform/bus/subjects.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { subjectOf } from '#platform/core/subject.ts'

/** An applied batch of actions, or the notice that something else about the flow changed. */
export type FlowUpdate = { actions: FlowActionsEvent } | { changed: true }

export const flowSubject = subjectOf(
  'flow',
  'everyone',
  Type.Unsafe<FlowUpdate>(
    Type.Union([
      Type.Object({ actions: Type.Object({ version: Type.Integer() }) }),
      Type.Object({ changed: Type.Literal(true) }),
    ]),
  ),
  { brief: (): FlowUpdate => ({ changed: true }) },
)

type ListedFlow = { id: string; team_id: string; user_id: string; visibility: string }

/** Notifies the readers of the flow in its workspace that their lists of flows have changed. */
export const notifyLists = (ctx: Ctx, flow: ListedFlow): void =>
  ctx.emit({ subject: teamSubject(flow.team_id), data: rowUpdate('flows', flow, {}, 'flows:read') })
