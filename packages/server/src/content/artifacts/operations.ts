// Operations on artifacts. routes.ts serves the documents.
import { TransferTo } from '@millrace/contract/apps'
import {
  Artifact,
  ArtifactContent,
  ArtifactRefPath,
  ArtifactVersion,
  ArtifactVersionPath,
  PublishArtifact,
  PublishVersion,
  UpdateArtifact,
} from '@millrace/contract/artifacts'
import { IdPath, ListRequest, PageOf, Success } from '@millrace/contract/common'
import { SetVisibility } from '@millrace/contract/knowledge'
import Type from 'typebox'
import { etagOf, isKnown } from '#platform/core/etags.ts'
import { operation, type Wire } from '#platform/core/operation.ts'
import * as changes from './changes.ts'
import { artifactDto, type Links, tagOf, versionDto } from './dto.ts'
import type { ArtifactAtVersion } from './lookup.ts'
import * as lookup from './lookup.ts'

/** Answers a write with the current artifact and its tag. */
const written = (ctx: Links, wire: Wire, { row, version }: ArtifactAtVersion): Artifact => {
  wire.header('etag', etagOf(tagOf(row, version.id)))
  return artifactDto(ctx, row, version)
}

/** Sets the tag and answers 304 if the reader already has this state. */
const read = (ctx: Links, wire: Wire, found: ArtifactAtVersion): Artifact => {
  const artifact = written(ctx, wire, found)
  wire.header('cache-control', 'no-cache')
  if (isKnown(wire.headers['if-none-match'], etagOf(tagOf(found.row, found.version.id)))) wire.notModified()
  return artifact
}

export const contentOperation = operation({
  name: 'artifacts.content',
  route: 'GET /artifacts/:id/content',
  summary: 'The source of an artifact',
  scope: 'artifacts:read',
  checkedScopes: ['artifacts:write'],
  publicRows: true,
  path: IdPath,
  reply: ArtifactContent,
  fails: ['not_found'],
  run: async (ctx, { path }) => lookup.contentOf(ctx, await lookup.findShown(ctx, path.id, null)),
})

export const artifactOperations = [
  operation({
    name: 'artifacts.list',
    route: ['GET /artifacts', 'POST /artifacts/list'],
    summary: 'Artifacts of the workspace',
    scope: 'artifacts:read',
    checkedScopes: ['artifacts:write'],
    publicRows: true,
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(Artifact)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => lookup.list(ctx, body),
  }),
  operation({
    name: 'artifacts.publish',
    route: 'POST /artifacts',
    summary: 'Publish an artifact, or a new version of one',
    scope: 'artifacts:write',
    stores: 'body',
    body: PublishArtifact,
    missingField: 'invalid_request',
    reply: Artifact,
    fails: [
      'validation_error',
      'invalid_request',
      'payload_too_large',
      'version_conflict',
      'name_conflict',
      'precondition_failed',
    ],
    run: async (ctx, { body }, wire) => written(ctx, wire, await changes.publish(ctx, body, wire.headers['if-match'])),
  }),
  operation({
    name: 'artifacts.get',
    route: 'GET /artifacts/:id',
    summary: 'One artifact; viewers see its shared version',
    scope: 'artifacts:read',
    checkedScopes: ['artifacts:write'],
    publicRows: true,
    path: IdPath,
    reply: Artifact,
    fails: ['not_found'],
    run: async (ctx, { path }, wire) => read(ctx, wire, await lookup.find(ctx, path.id)),
  }),
  operation({
    name: 'artifacts.get_by_ref',
    route: 'GET /artifacts/:namespace/:name',
    summary: 'An artifact by ref, with its shared version or the version that the ref pins',
    scope: 'artifacts:read',
    checkedScopes: ['artifacts:write'],
    publicRows: true,
    path: ArtifactRefPath,
    reply: Artifact,
    fails: ['not_found'],
    run: async (ctx, { path }, wire) => read(ctx, wire, await lookup.findByRef(ctx, path.namespace, path.name)),
  }),
  contentOperation,
  operation({
    name: 'artifacts.version_content',
    route: 'GET /artifacts/:id/versions/:versionId/content',
    summary: 'The source of one version',
    scope: 'artifacts:read',
    checkedScopes: ['artifacts:write'],
    publicRows: true,
    path: ArtifactVersionPath,
    reply: ArtifactContent,
    fails: ['not_found'],
    run: async (ctx, { path }) => lookup.contentOf(ctx, await lookup.findVersion(ctx, path.id, path.versionId)),
  }),
  operation({
    name: 'artifacts.versions',
    route: ['GET /artifacts/:id/versions', 'POST /artifacts/:id/versions/list'],
    summary: 'Versions of an artifact, newest first',
    scope: 'artifacts:read',
    checkedScopes: ['artifacts:write'],
    publicRows: true,
    list: true,
    path: IdPath,
    body: ListRequest,
    reply: PageOf(Type.Partial(ArtifactVersion)),
    fails: ['not_found', 'validation_error', 'invalid_request'],
    run: (ctx, { path, body }) => lookup.listVersions(ctx, path.id, body),
  }),
  operation({
    name: 'artifacts.get_version',
    route: 'GET /artifacts/:id/versions/:versionId',
    summary: 'One version of an artifact, by id, short id or number',
    scope: 'artifacts:read',
    checkedScopes: ['artifacts:write'],
    publicRows: true,
    path: ArtifactVersionPath,
    reply: ArtifactVersion,
    fails: ['not_found'],
    run: async (ctx, { path }) => versionDto(ctx, (await lookup.findVersion(ctx, path.id, path.versionId)).version),
  }),
  operation({
    name: 'artifacts.publish_version',
    route: 'POST /artifacts/:id/versions',
    summary: 'Publish a new version; refused if it was built on an older one',
    scope: 'artifacts:write',
    path: IdPath,
    stores: 'body',
    body: PublishVersion,
    missingField: 'invalid_request',
    reply: Artifact,
    fails: [
      'not_found',
      'forbidden',
      'validation_error',
      'invalid_request',
      'payload_too_large',
      'version_conflict',
      'precondition_failed',
    ],
    run: async (ctx, { path, body }, wire) =>
      written(ctx, wire, await changes.publishVersion(ctx, path.id, body, wire.headers['if-match'])),
  }),
  operation({
    name: 'artifacts.update',
    route: 'POST /artifacts/:id',
    summary: 'Change the texts of an artifact, or the version that viewers see',
    scope: 'artifacts:write',
    path: IdPath,
    stores: 'body',
    body: UpdateArtifact,
    reply: Artifact,
    fails: ['not_found', 'forbidden', 'validation_error', 'precondition_failed'],
    run: async (ctx, { path, body }, wire) =>
      written(ctx, wire, await changes.update(ctx, path.id, body, wire.headers['if-match'])),
  }),
  operation({
    name: 'artifacts.set_visibility',
    route: 'POST /artifacts/:id/visibility',
    summary: 'Change the visibility of an artifact',
    scope: 'artifacts:write',
    path: IdPath,
    body: SetVisibility,
    missingField: 'invalid_request',
    reply: Artifact,
    fails: ['not_found', 'forbidden', 'validation_error', 'team_role_required', 'precondition_failed'],
    run: async (ctx, { path, body }, wire) =>
      written(ctx, wire, await changes.setVisibility(ctx, path.id, body.visibility, wire.headers['if-match'])),
  }),
  operation({
    name: 'artifacts.transfer',
    route: 'POST /artifacts/:id/transfer',
    summary: 'Transfer an artifact to another workspace',
    scope: 'artifacts:write',
    path: IdPath,
    body: TransferTo,
    missingField: 'invalid_request',
    reply: Artifact,
    fails: ['not_found', 'forbidden', 'invalid_request', 'team_role_required', 'name_conflict', 'precondition_failed'],
    run: async (ctx, { path, body }, wire) =>
      written(ctx, wire, await changes.transfer(ctx, path.id, body.team_id, wire.headers['if-match'])),
  }),
  operation({
    name: 'artifacts.delete',
    route: 'DELETE /artifacts/:id',
    summary: 'Delete an artifact and free its ref',
    scope: 'artifacts:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found', 'forbidden', 'precondition_failed'],
    run: (ctx, { path }, wire) => changes.remove(ctx, path.id, wire.headers['if-match']),
  }),
]
