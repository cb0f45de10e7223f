// Operations on the store: reads for everyone, changes for store administrators.
import {
  AppRefPath,
  RefRoute,
  SetRefRoute,
  SiteRoutes,
  StoreApp,
  StoreTag,
  SubmitVersion,
  UpdateListing,
} from '@millrace/contract/apps'
import { ListRequest, PageOf, PathText, Success } from '@millrace/contract/common'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { removeAlias, setRefRoute, siteRoutes } from './aliases.ts'
import * as storeFront from './store-front.ts'

const StoreAppPath = Type.Object({ appId: PathText })

export const storeOperations = [
  operation({
    name: 'store.tags',
    route: 'GET /store/tags',
    summary: 'List the tags of at least three public apps',
    scope: 'public',
    reply: Type.Array(StoreTag),
    run: (ctx) => storeFront.tags(ctx),
  }),
  operation({
    name: 'store.apps',
    route: ['GET /store/apps', 'POST /store/apps/list'],
    summary: 'List the apps in the store',
    scope: 'public',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(StoreApp)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => storeFront.list(ctx, body),
  }),
  operation({
    name: 'ref_routes.site',
    route: 'GET /ref-routes/site',
    summary: 'List the redirects derived from platform aliases',
    scope: 'public',
    reply: SiteRoutes,
    run: (ctx) => siteRoutes(ctx),
  }),
  operation({
    name: 'store.set_listing',
    route: 'POST /store/apps/:appId',
    summary: 'Feature, rank, sort or delist an app',
    scope: 'admin:write',
    path: StoreAppPath,
    body: UpdateListing,
    reply: StoreApp,
    fails: ['validation_error', 'not_found'],
    run: (ctx, { path, body }) => storeFront.setListing(ctx, path.appId, body),
  }),
  operation({
    name: 'store.submit',
    route: 'POST /store/apps/:appId/submit',
    summary: 'Record the version that the store offers',
    scope: 'store:submit',
    path: StoreAppPath,
    body: SubmitVersion,
    reply: StoreApp,
    fails: ['not_found'],
    run: (ctx, { path, body }) => storeFront.submitVersion(ctx, path.appId, body.version_id),
  }),
  operation({
    name: 'ref_routes.set',
    route: 'PUT /ref-routes/:namespace/:name',
    summary: 'Set an alias to another app or to a page',
    scope: 'admin:write',
    path: AppRefPath,
    body: SetRefRoute,
    reply: RefRoute,
    fails: ['validation_error', 'not_found', 'name_conflict'],
    run: (ctx, { path, body }) => setRefRoute(ctx, path.namespace, path.name, body),
  }),
  operation({
    name: 'ref_routes.remove',
    route: 'DELETE /ref-routes/:namespace/:name',
    summary: 'Delete an alias',
    scope: 'admin:write',
    path: AppRefPath,
    reply: Success,
    fails: ['not_found'],
    run: async (ctx, { path }) => {
      await removeAlias(ctx, path.namespace, path.name)
      return { success: true }
    },
  }),
]
