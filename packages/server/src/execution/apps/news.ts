// What changes of apps say on the bus.
import { rowNews, teamSubject } from '#platform/bus/subjects.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { AppRow } from './store.ts'

/** Word to those of the workspace who may read the app that their lists of apps have changed; what, they ask for. */
export const tellLists = (ctx: Ctx, app: AppRow): void =>
  ctx.emit({ subject: teamSubject(app.team_id), data: rowNews('apps', app, {}, 'apps:read') })
