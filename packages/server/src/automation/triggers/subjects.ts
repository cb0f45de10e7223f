// Names on the bus that triggers speak and listen to.
import Type from 'typebox'
import { teamSubject } from '#platform/bus/subjects.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { subject } from '#platform/core/subject.ts'

/** A fire waits for dispatch. */
export const waitingSubject = subject('triggers:waiting', 'one', Type.Null())
/** A schedule is new or has changed: every server's clock may be set to the wrong time. */
export const scheduleSubject = subject('triggers:schedule', 'everyone', Type.Null())

/** Word to those who may read triggers that one has changed or fired; what is different, they ask for. */
export const tellLists = (ctx: Ctx<Actor>, { id, team_id }: { id: string; team_id: string }): void =>
  ctx.emit({
    subject: teamSubject(team_id),
    data: { name: 'triggers', data: { id }, fields: [], needs: 'agents:read' },
  })
