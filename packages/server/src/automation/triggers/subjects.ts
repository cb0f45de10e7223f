// Bus subjects of triggers.
import Type from 'typebox'
import { teamSubject } from '#platform/bus/subjects.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { subject } from '#platform/core/subject.ts'

/** A fire is waiting for dispatch. */
export const waitingSubject = subject('triggers:waiting', 'one', Type.Null())
/** A schedule was created or changed: every server recomputes its next wake-up. */
export const scheduleSubject = subject('triggers:schedule', 'everyone', Type.Null())

/** Notifies readers of triggers that one has changed or fired; they query the change. */
export const notifyLists = (ctx: Ctx<Actor>, { id, team_id }: { id: string; team_id: string }): void =>
  ctx.emit({
    subject: teamSubject(team_id),
    data: { name: 'triggers', data: { id }, fields: [], needs: 'agents:read' },
  })
