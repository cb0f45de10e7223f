// Aliases: refs that keep working after an app has moved, and the site redirects derived from them.
import type { RefRoute, SetRefRoute, SiteRoutes } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { isFunctionName, isSlug } from '@millrace/contract/refs'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import * as aliases from './aliases-store.ts'
import * as store from './store.ts'

export type Alias = {
  namespace: string
  name: string
  /** An app (optionally one of its functions), or a page on the site or elsewhere. */
  target: { appId: string; function?: string } | { url: string }
}

export const setAlias = (ctx: Ctx, { namespace, name, target }: Alias): Promise<void> =>
  ctx.tx(async (ctx) => {
    if (!isSlug(namespace) || !isSlug(name))
      throw fail('validation_error', 'An alias must have the form namespace/name')
    if (await store.findAppByRef(ctx.db, namespace, name))
      throw fail('name_conflict', `An app with the name ${namespace}/${name} already exists`)
    const now = ctx.now().toISOString()
    const id = newId()
    const columns = 'url' in target ? { url: readUrl(target.url), function: '' } : await readTarget(ctx, target)
    await aliases.upsertAlias(ctx.db, { id, namespace, name, ...columns, created_at: now, updated_at: now })
    await recordAudit(ctx, 'app_alias.set', {
      resourceType: 'app_alias',
      resourceId: `${namespace}/${name}`,
      meta: target,
    })
  })

/** Sets an alias in the form of the request: an app (optionally one of its functions) or a page. */
export const setRefRoute = async (ctx: Ctx, namespace: string, name: string, route: SetRefRoute): Promise<RefRoute> => {
  const { app_id: appId, url, function: named } = route
  if ((appId === undefined) === (url === undefined)) throw fail('validation_error', 'Set either `app_id` or `url`')
  const target = url === undefined ? { appId: appId ?? '', ...(named ? { function: named } : {}) } : { url }
  await setAlias(ctx, { namespace, name, target })
  return { namespace, name, ...route }
}

export const removeAlias = (ctx: Ctx, namespace: string, name: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    if (!(await aliases.deleteAlias(ctx.db, namespace, name))) throw fail('not_found', 'Alias not found')
    await recordAudit(ctx, 'app_alias.removed', { resourceType: 'app_alias', resourceId: `${namespace}/${name}` })
  })

const readUrl = (url: string): string => {
  if (!/^(https?:\/\/|\/(?!\/))\S*$/.test(url))
    throw fail('validation_error', '`url` must be a site path or an http URL')
  return url
}

const readTarget = async (ctx: Ctx, target: { appId: string; function?: string }) => {
  const app = await store.findApp(ctx.db, target.appId)
  if (!app) throw fail('not_found', 'App not found')
  if (target.function && !isFunctionName(target.function))
    throw fail('validation_error', '`function` must be a function name')
  return { app_id: app.id, function: target.function ?? '' }
}

/** The page of an app on the site. */
const sitePath = (namespace: string, name: string): string => `/apps/${namespace}/${name}`

export const siteRoutes = async (ctx: Ctx<Actor>): Promise<SiteRoutes> => {
  const rows = await aliases.findPublicAliases(ctx.db)
  const redirects = rows.map((row) => {
    const target = row.url ?? sitePath(row.target_namespace ?? '', row.target_name ?? '')
    const query = row.function === '' ? '' : `?function=${encodeURIComponent(row.function)}`
    return [sitePath(row.namespace, row.name), `${target}${query}`]
  })
  return { redirects: Object.fromEntries(redirects) }
}
