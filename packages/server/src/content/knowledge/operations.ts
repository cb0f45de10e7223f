// Operations on knowledge entries.
import { TransferTo } from '@millrace/contract/apps'
import { IdPath, ListRequest, PageOf, Success } from '@millrace/contract/common'
import {
  CreateKnowledge,
  Knowledge,
  KnowledgeQuery,
  KnowledgeRefPath,
  KnowledgeRefVersionPath,
  KnowledgeVersion,
  KnowledgeVersionPath,
  Lineage,
  References,
  SetVisibility,
  UpdateKnowledge,
} from '@millrace/contract/knowledge'
import { MyStats } from '@millrace/contract/teams'
import Type from 'typebox'
import { etagOf, isKnown } from '#platform/core/etags.ts'
import { operation, type Wire } from '#platform/core/operation.ts'
import * as changes from './changes.ts'
import { entryDto, versionDto } from './dto.ts'
import { duplicate } from './duplicate.ts'
import { lineageOf } from './lineage.ts'
import * as lookup from './lookup.ts'
import { asEntry, type EntryAtVersion } from './lookup.ts'
import { references } from './references.ts'
import { myStats } from './stats.ts'

/** Sets the tag of the content and answers 304 if the reader already has it. */
export const tagged = (wire: Wire, { version }: EntryAtVersion): void => {
  const etag = etagOf(version.content_hash)
  wire.header('etag', etag)
  wire.header('cache-control', 'no-cache')
  if (isKnown(wire.headers['if-none-match'], etag)) wire.notModified()
}

const wanted = (include: string | undefined): boolean => include?.split(',').includes('content') === true

export const knowledgeOperations = [
  operation({
    name: 'knowledge.list',
    route: ['GET /knowledge', 'POST /knowledge/list'],
    summary: 'Knowledge entries of the workspace',
    scope: 'knowledge:read',
    publicRows: true,
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(Knowledge)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => lookup.list(ctx, asEntry, body),
  }),
  operation({
    name: 'knowledge.create',
    route: 'POST /knowledge',
    summary: 'Create an entry with its first version',
    scope: 'knowledge:write',
    checkedScopes: ['knowledge:read'],
    stores: 'body',
    body: CreateKnowledge,
    missingField: 'invalid_request',
    reply: Knowledge,
    fails: ['validation_error', 'invalid_request', 'name_conflict', 'limit_exceeded'],
    run: async (ctx, { body }) => {
      const { row, version } = await changes.create(ctx, body)
      return entryDto(ctx, row, version)
    },
  }),
  operation({
    name: 'knowledge.get',
    route: 'GET /knowledge/:id',
    summary: 'One entry with its current version',
    scope: 'knowledge:read',
    publicRows: true,
    path: IdPath,
    query: KnowledgeQuery,
    reply: Knowledge,
    fails: ['not_found'],
    run: async (ctx, { path, query }, wire) => {
      const found = await lookup.find(ctx, asEntry, path.id)
      tagged(wire, found)
      return wanted(query.include) ? lookup.withContent(ctx, found) : entryDto(ctx, found.row, found.version)
    },
  }),
  operation({
    name: 'knowledge.get_by_ref',
    route: 'GET /knowledge/:namespace/:name',
    summary: 'An entry by ref, with its current version or the one that the ref pins',
    scope: 'knowledge:read',
    publicRows: true,
    path: KnowledgeRefPath,
    query: KnowledgeQuery,
    reply: Knowledge,
    fails: ['not_found'],
    run: async (ctx, { path, query }, wire) => {
      const found = await lookup.findByRef(ctx, asEntry, path.namespace, path.name)
      tagged(wire, found)
      return wanted(query.include) ? lookup.withContent(ctx, found) : entryDto(ctx, found.row, found.version)
    },
  }),
  operation({
    name: 'knowledge.get_version',
    route: 'GET /knowledge/:id/versions/:versionId',
    summary: 'One version of an entry',
    scope: 'knowledge:read',
    publicRows: true,
    path: KnowledgeVersionPath,
    reply: KnowledgeVersion,
    fails: ['not_found'],
    run: async (ctx, { path }, wire) => {
      const found = await lookup.findVersion(ctx, asEntry, path.id, path.versionId)
      tagged(wire, found)
      return versionDto(ctx, found.version, found.row.lifecycle)
    },
  }),
  operation({
    name: 'knowledge.get_version_by_ref',
    route: 'GET /knowledge/:namespace/:name/versions/:versionId',
    summary: 'One version of an entry, by ref',
    scope: 'knowledge:read',
    publicRows: true,
    path: KnowledgeRefVersionPath,
    reply: KnowledgeVersion,
    fails: ['not_found'],
    run: async (ctx, { path }, wire) => {
      const found = await lookup.findVersionByRef(ctx, asEntry, path)
      tagged(wire, found)
      return versionDto(ctx, found.version, found.row.lifecycle)
    },
  }),
  operation({
    name: 'knowledge.versions',
    route: ['GET /knowledge/:id/versions', 'POST /knowledge/:id/versions/list'],
    summary: 'Versions of an entry, newest first',
    scope: 'knowledge:read',
    publicRows: true,
    list: true,
    path: IdPath,
    body: ListRequest,
    reply: PageOf(Type.Partial(KnowledgeVersion)),
    fails: ['not_found', 'validation_error', 'invalid_request'],
    run: (ctx, { path, body }) => lookup.listVersions(ctx, asEntry, path.id, body),
  }),
  operation({
    name: 'knowledge.references',
    route: 'GET /knowledge/:id/references',
    summary: 'Resources that an entry mentions, and entries that mention it',
    scope: 'knowledge:read',
    checkedScopes: ['agents:read', 'apps:read', 'credentials:read', 'flows:read'],
    publicRows: true,
    path: IdPath,
    reply: References,
    fails: ['not_found'],
    run: (ctx, { path }) => references(ctx, path.id),
  }),
  operation({
    name: 'knowledge.lineage',
    route: 'GET /knowledge/:id/lineage',
    summary: 'Parent, siblings, forks and duplicates of an entry',
    scope: 'knowledge:read',
    publicRows: true,
    path: IdPath,
    reply: Lineage,
    fails: ['not_found'],
    run: (ctx, { path }) => lineageOf(ctx, asEntry, path.id),
  }),
  operation({
    name: 'knowledge.update',
    route: 'POST /knowledge/:id',
    summary: 'Publish a new version of an entry; with If-Match, refused if the entry has changed',
    scope: 'knowledge:write',
    checkedScopes: ['knowledge:read'],
    path: IdPath,
    stores: 'body',
    body: UpdateKnowledge,
    missingField: 'invalid_request',
    reply: Knowledge,
    fails: ['not_found', 'forbidden', 'validation_error', 'precondition_failed'],
    run: async (ctx, { path, body }, wire) => {
      const found = await changes.update(ctx, asEntry, path.id, () => changes.changeIn(body), wire.headers['if-match'])
      wire.header('etag', etagOf(found.version.content_hash))
      return entryDto(ctx, found.row, found.version)
    },
  }),
  operation({
    name: 'knowledge.confirm',
    route: 'POST /knowledge/:id/confirm',
    summary: 'Confirm that a decaying entry is still correct',
    scope: 'knowledge:write',
    path: IdPath,
    reply: Knowledge,
    fails: ['not_found', 'forbidden', 'invalid_state'],
    run: async (ctx, { path }) => {
      const { row, version } = await changes.confirm(ctx, path.id)
      return entryDto(ctx, row, version)
    },
  }),
  operation({
    name: 'knowledge.set_visibility',
    route: 'POST /knowledge/:id/visibility',
    summary: 'Change the visibility of an entry',
    scope: 'knowledge:write',
    path: IdPath,
    body: SetVisibility,
    missingField: 'invalid_request',
    reply: Knowledge,
    fails: ['not_found', 'forbidden', 'validation_error', 'invalid_request', 'team_role_required'],
    run: async (ctx, { path, body }) => {
      const { row, version } = await changes.setVisibility(ctx, asEntry, path.id, body.visibility)
      return entryDto(ctx, row, version)
    },
  }),
  operation({
    name: 'knowledge.transfer',
    route: 'POST /knowledge/:id/transfer',
    summary: 'Transfer an entry to another workspace',
    scope: 'knowledge:write',
    path: IdPath,
    body: TransferTo,
    missingField: 'invalid_request',
    reply: Knowledge,
    fails: ['not_found', 'forbidden', 'invalid_request', 'team_role_required', 'name_conflict', 'limit_exceeded'],
    run: async (ctx, { path, body }) => {
      const { row, version } = await changes.transfer(ctx, asEntry, path.id, body.team_id)
      return entryDto(ctx, row, version)
    },
  }),
  operation({
    name: 'knowledge.duplicate',
    route: 'POST /knowledge/:id/duplicate',
    summary: 'Fork an entry into the caller’s workspace',
    scope: 'knowledge:write',
    checkedScopes: ['knowledge:read'],
    path: IdPath,
    stores: 'copy',
    reply: Knowledge,
    fails: ['not_found', 'limit_exceeded'],
    run: async (ctx, { path }) => {
      const { row, version } = await duplicate(ctx, asEntry, path.id)
      return entryDto(ctx, row, version)
    },
  }),
  operation({
    name: 'knowledge.delete',
    route: 'DELETE /knowledge/:id',
    summary: 'Delete an entry and free its ref',
    scope: 'knowledge:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found', 'forbidden'],
    run: (ctx, { path }) => changes.remove(ctx, asEntry, path.id),
  }),
  operation({
    name: 'me.stats',
    route: 'GET /me/stats',
    summary: 'Number of entries that the caller wrote in the workspace, and that programs wrote for the caller',
    scope: 'authenticated',
    reply: MyStats,
    run: (ctx) => myStats(ctx),
  }),
]
