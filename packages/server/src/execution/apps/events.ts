// Publishes changes of apps on the bus.
import { rowUpdate, teamSubject } from '#platform/bus/subjects.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { AppRow } from './store.ts'

/** Notifies the members who may read the app that their app lists are outdated. They query the change themselves. */
export const notifyLists = (ctx: Ctx, app: AppRow): void =>
  ctx.emit({ subject: teamSubject(app.team_id), data: rowUpdate('apps', app, {}, 'apps:read') })
