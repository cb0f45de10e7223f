// Operations on skills: the same rows as knowledge entries, with the field names of skills.
import { TransferTo, UpdateSkillListing } from '@millrace/contract/apps'
import { IdPath, ListRequest, PageOf, Success } from '@millrace/contract/common'
import {
  KnowledgeRefPath,
  KnowledgeVersionPath,
  Lineage,
  PublishSkill,
  ResolvedSkill,
  ResolveSkill,
  SetVisibility,
  Skill,
  SkillContent,
  SkillDownload,
  SkillVersion,
  StoreSkill,
  UpdateSkill,
} from '@millrace/contract/knowledge'
import Type from 'typebox'
import { etagOf } from '#platform/core/etags.ts'
import { operation } from '#platform/core/operation.ts'
import * as changes from './changes.ts'
import { skillDto, skillVersionDto } from './dto.ts'
import { duplicate } from './duplicate.ts'
import { lineageOf } from './lineage.ts'
import * as lookup from './lookup.ts'
import { asSkill } from './lookup.ts'
import { tagged } from './operations.ts'
import * as skills from './skills.ts'

export const skillOperations = [
  operation({
    name: 'skills.list',
    route: ['GET /skills', 'POST /skills/list'],
    summary: 'Skills of the workspace',
    scope: 'knowledge:read',
    publicRows: true,
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(Skill)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => lookup.list(ctx, asSkill, body),
  }),
  operation({
    name: 'skills.publish',
    route: 'POST /skills',
    summary: 'Publish a skill, or a new version of one',
    scope: 'knowledge:write',
    checkedScopes: ['knowledge:read'],
    stores: 'body',
    body: PublishSkill,
    missingField: 'invalid_request',
    reply: Skill,
    fails: ['validation_error', 'invalid_request', 'name_conflict', 'limit_exceeded', 'blocked_by_usage_policy'],
    run: async (ctx, { body }) => {
      const { row, version } = await skills.publish(ctx, body)
      return skillDto(ctx, row, version)
    },
  }),
  operation({
    name: 'skills.resolve',
    route: 'GET /skills/resolve',
    summary: 'Find a skill by ref',
    scope: 'knowledge:read',
    publicRows: true,
    query: ResolveSkill,
    missingField: 'invalid_request',
    reply: ResolvedSkill,
    fails: ['not_found', 'invalid_request'],
    run: (ctx, { query }) => skills.resolve(ctx, query.ref, query.skill),
  }),
  operation({
    name: 'skills.get',
    route: 'GET /skills/:id',
    summary: 'One skill with its current version',
    scope: 'knowledge:read',
    publicRows: true,
    path: IdPath,
    reply: Skill,
    fails: ['not_found'],
    run: async (ctx, { path }, wire) => {
      const found = await lookup.find(ctx, asSkill, path.id)
      tagged(wire, found)
      return skillDto(ctx, found.row, found.version)
    },
  }),
  operation({
    name: 'skills.get_by_ref',
    route: 'GET /skills/:namespace/:name',
    summary: 'A skill by ref',
    scope: 'knowledge:read',
    publicRows: true,
    path: KnowledgeRefPath,
    reply: Skill,
    fails: ['not_found'],
    run: async (ctx, { path }, wire) => {
      const found = await lookup.findByRef(ctx, asSkill, path.namespace, path.name)
      tagged(wire, found)
      return skillDto(ctx, found.row, found.version)
    },
  }),
  operation({
    name: 'skills.download',
    route: 'GET /skills/:namespace/:name/download',
    summary: 'A skill with the texts of all its files; counts as an install',
    scope: 'knowledge:read',
    publicRows: true,
    unsafeGet: true,
    path: KnowledgeRefPath,
    reply: SkillDownload,
    fails: ['not_found'],
    run: (ctx, { path }) => skills.download(ctx, path.namespace, path.name),
  }),
  operation({
    name: 'skills.content',
    route: 'GET /skills/:namespace/:name/content',
    summary: 'The instructions of a skill; counts as a use',
    scope: 'knowledge:read',
    publicRows: true,
    unsafeGet: true,
    path: KnowledgeRefPath,
    reply: SkillContent,
    fails: ['not_found'],
    run: (ctx, { path }) => skills.content(ctx, path.namespace, path.name),
  }),
  operation({
    name: 'skills.versions',
    route: ['GET /skills/:id/versions', 'POST /skills/:id/versions/list'],
    summary: 'Versions of a skill, newest first',
    scope: 'knowledge:read',
    publicRows: true,
    list: true,
    path: IdPath,
    body: ListRequest,
    reply: PageOf(Type.Partial(SkillVersion)),
    fails: ['not_found', 'validation_error', 'invalid_request'],
    run: (ctx, { path, body }) => lookup.listVersions(ctx, asSkill, path.id, body),
  }),
  operation({
    name: 'skills.get_version',
    route: 'GET /skills/:id/versions/:versionId',
    summary: 'One version of a skill',
    scope: 'knowledge:read',
    publicRows: true,
    path: KnowledgeVersionPath,
    reply: SkillVersion,
    fails: ['not_found'],
    run: async (ctx, { path }, wire) => {
      const found = await lookup.findVersion(ctx, asSkill, path.id, path.versionId)
      tagged(wire, found)
      return skillVersionDto(ctx, found.version)
    },
  }),
  operation({
    name: 'skills.lineage',
    route: 'GET /skills/:id/lineage',
    summary: 'Parent, siblings, forks and duplicates of a skill',
    scope: 'knowledge:read',
    publicRows: true,
    path: IdPath,
    reply: Lineage,
    fails: ['not_found'],
    run: (ctx, { path }) => lineageOf(ctx, asSkill, path.id),
  }),
  operation({
    name: 'skills.update',
    route: 'POST /skills/:id',
    summary: 'Publish a new version of a skill; with If-Match, refused if the skill has changed',
    scope: 'knowledge:write',
    checkedScopes: ['knowledge:read'],
    path: IdPath,
    stores: 'body',
    body: UpdateSkill,
    missingField: 'invalid_request',
    reply: Skill,
    fails: ['not_found', 'forbidden', 'validation_error', 'precondition_failed', 'blocked_by_usage_policy'],
    run: async (ctx, { path, body }, wire) => {
      const found = await skills.updateSkill(ctx, path.id, body, wire.headers['if-match'])
      wire.header('etag', etagOf(found.version.content_hash))
      return skillDto(ctx, found.row, found.version)
    },
  }),
  operation({
    name: 'skills.set_visibility',
    route: 'POST /skills/:id/visibility',
    summary: 'Change the visibility of a skill',
    scope: 'knowledge:write',
    path: IdPath,
    body: SetVisibility,
    missingField: 'invalid_request',
    reply: Skill,
    fails: ['not_found', 'forbidden', 'validation_error', 'team_role_required'],
    run: async (ctx, { path, body }) => {
      const { row, version } = await changes.setVisibility(ctx, asSkill, path.id, body.visibility)
      return skillDto(ctx, row, version)
    },
  }),
  operation({
    name: 'skills.transfer',
    route: 'POST /skills/:id/transfer',
    summary: 'Transfer a skill to another workspace',
    scope: 'knowledge:write',
    path: IdPath,
    body: TransferTo,
    missingField: 'invalid_request',
    reply: Skill,
    fails: ['not_found', 'forbidden', 'invalid_request', 'team_role_required', 'name_conflict', 'limit_exceeded'],
    run: async (ctx, { path, body }) => {
      const { row, version } = await changes.transfer(ctx, asSkill, path.id, body.team_id)
      return skillDto(ctx, row, version)
    },
  }),
  operation({
    name: 'skills.duplicate',
    route: 'POST /skills/:id/duplicate',
    summary: 'Fork a skill into the caller’s workspace',
    scope: 'knowledge:write',
    checkedScopes: ['knowledge:read'],
    path: IdPath,
    stores: 'copy',
    reply: Skill,
    fails: ['not_found', 'limit_exceeded'],
    run: async (ctx, { path }) => {
      const { row, version } = await duplicate(ctx, asSkill, path.id)
      return skillDto(ctx, row, version)
    },
  }),
  operation({
    name: 'skills.delete',
    route: 'DELETE /skills/:id',
    summary: 'Delete a skill and free its ref',
    scope: 'knowledge:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found', 'forbidden'],
    run: (ctx, { path }) => changes.remove(ctx, asSkill, path.id),
  }),
  operation({
    name: 'store.skills',
    route: ['GET /store/skills', 'POST /store/skills/list'],
    summary: 'Public skills',
    scope: 'public',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(StoreSkill)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => skills.listStore(ctx, body),
  }),
  operation({
    name: 'store.set_skill_listing',
    route: 'POST /store/skills/:id',
    summary: 'Feature, rank or remove a skill in the store',
    scope: 'admin:write',
    path: IdPath,
    body: UpdateSkillListing,
    reply: StoreSkill,
    fails: ['validation_error', 'not_found'],
    run: (ctx, { path, body }) => skills.setListing(ctx, path.id, body),
  }),
]
