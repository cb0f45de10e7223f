// Operations on projects.
import { IdPath, JsonObject, ListRequest, PageOf, Success } from '@millrace/contract/common'
import { SetVisibility } from '@millrace/contract/knowledge'
import { CreateProject, MoveToProject, Project, UpdateProject } from '@millrace/contract/projects'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import * as projects from './service.ts'

export const projectOperations = [
  operation({
    name: 'projects.list',
    route: ['GET /projects', 'POST /projects/list'],
    summary: 'Projects of the workspace',
    scope: 'projects:read',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(Project)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => projects.list(ctx, body),
  }),
  operation({
    name: 'projects.create',
    route: 'POST /projects',
    summary: 'Create a project',
    scope: 'projects:write',
    stores: 'body',
    body: CreateProject,
    missingField: 'invalid_request',
    reply: Project,
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => projects.create(ctx, body),
  }),
  operation({
    name: 'projects.move',
    route: 'POST /projects/move',
    summary: 'Move an agent, a trigger or a chat into a project, or out of it',
    scope: 'projects:write',
    checkedScopes: ['agents:write', 'conversations:write'],
    body: MoveToProject,
    missingField: 'invalid_request',
    reply: JsonObject,
    fails: ['validation_error', 'invalid_request', 'not_found', 'forbidden', 'insufficient_scope', 'chat_archived'],
    run: (ctx, { body }) => projects.move(ctx, body),
  }),
  operation({
    name: 'projects.get',
    route: 'GET /projects/:id',
    summary: 'One project with its children',
    scope: 'projects:read',
    path: IdPath,
    reply: Project,
    fails: ['not_found'],
    run: (ctx, { path }) => projects.get(ctx, path.id),
  }),
  operation({
    name: 'projects.update',
    route: 'POST /projects/:id',
    summary: 'Change some fields of a project, or move it into another project',
    scope: 'projects:write',
    path: IdPath,
    stores: 'body',
    body: UpdateProject,
    reply: Project,
    fails: ['not_found', 'forbidden', 'validation_error'],
    run: (ctx, { path, body }) => projects.update(ctx, path.id, body),
  }),
  operation({
    name: 'projects.set_visibility',
    route: 'POST /projects/:id/visibility',
    summary: 'Change the visibility of a project',
    scope: 'projects:write',
    path: IdPath,
    body: SetVisibility,
    missingField: 'invalid_request',
    reply: Project,
    fails: ['not_found', 'forbidden', 'validation_error', 'team_role_required'],
    run: (ctx, { path, body }) => projects.setVisibility(ctx, path.id, body.visibility),
  }),
  operation({
    name: 'projects.delete',
    route: 'DELETE /projects/:id',
    summary: 'Delete a project; its contents remain',
    scope: 'projects:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found', 'forbidden'],
    run: (ctx, { path }) => projects.remove(ctx, path.id),
  }),
]
