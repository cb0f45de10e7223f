// Operations on clouds and their offers.
import { Success } from '@millrace/contract/common'
import {
  Cloud,
  CloudPath,
  DeleteCloudQuery,
  EngineType,
  InstanceType,
  InstanceTypeQuery,
  PriceHistoryQuery,
  PricePoint,
  SetCloud,
  SetOffers,
} from '@millrace/contract/instances'
import Type from 'typebox'
import { operation, type Wire } from '#platform/core/operation.ts'
import * as clouds from './clouds.ts'
import { listEngineTypes, listTypes, priceHistory } from './service.ts'

/** Prices change rarely, so clients may cache them. */
const cached = (wire: Wire): void => wire.header('cache-control', 'public, max-age=3600')

export const instanceOperations = [
  operation({
    name: 'instances.types',
    route: 'GET /instances/types',
    summary: 'List machines with GPUs for rent, with prices and stock',
    scope: 'public',
    query: InstanceTypeQuery,
    reply: Type.Array(InstanceType),
    fails: ['validation_error'],
    run: (ctx, { query }, wire) => {
      cached(wire)
      return listTypes(ctx, query)
    },
  }),
  operation({
    name: 'instances.price_history',
    route: 'GET /instances/types/price-history',
    summary: 'Get the daily prices of a kind of machine',
    scope: 'public',
    query: PriceHistoryQuery,
    missingField: 'invalid_request',
    reply: Type.Array(PricePoint),
    fails: ['invalid_request'],
    run: (ctx, { query }, wire) => {
      cached(wire)
      return priceHistory(ctx, query)
    },
  }),
  operation({
    name: 'engines.types',
    route: 'GET /engines/types',
    summary: 'List the machines for engines, with every provider that has them in stock',
    scope: 'engines:read',
    reply: Type.Array(EngineType),
    run: (ctx) => listEngineTypes(ctx),
  }),
  operation({
    name: 'clouds.list',
    route: 'GET /clouds',
    summary: 'List the clouds',
    scope: 'admin:read',
    reply: Type.Array(Cloud),
    run: (ctx) => clouds.listClouds(ctx),
  }),
  operation({
    name: 'clouds.set',
    route: 'PUT /clouds/:key',
    summary: 'Add or replace a cloud',
    scope: 'admin:write',
    path: CloudPath,
    body: SetCloud,
    reply: Cloud,
    fails: ['validation_error', 'invalid_state'],
    run: (ctx, { path, body }) => clouds.setCloud(ctx, path.key, body),
  }),
  operation({
    name: 'clouds.set_types',
    route: 'PUT /clouds/:key/types',
    summary: 'Replace all offers of a cloud',
    scope: 'admin:write',
    path: CloudPath,
    body: SetOffers,
    reply: Type.Array(InstanceType),
    fails: ['validation_error', 'not_found'],
    run: (ctx, { path, body }) => clouds.setOffers(ctx, path.key, body.types),
  }),
  operation({
    name: 'clouds.refresh',
    route: 'POST /clouds/:key/refresh',
    summary: 'Query a cloud’s broker for its offers',
    scope: 'admin:write',
    path: CloudPath,
    reply: Type.Array(InstanceType),
    fails: ['validation_error', 'not_found', 'invalid_state'],
    reachesOut: true,
    run: (ctx, { path }) => clouds.refreshOffers(ctx, path.key),
  }),
  operation({
    name: 'clouds.delete',
    route: 'DELETE /clouds/:key',
    summary: 'Remove a cloud that has no machines left',
    scope: 'admin:write',
    path: CloudPath,
    query: DeleteCloudQuery,
    reply: Success,
    fails: ['not_found', 'invalid_state'],
    run: (ctx, { path, query }) => clouds.removeCloud(ctx, path.key, { abandons: query.abandon === true }),
  }),
]
