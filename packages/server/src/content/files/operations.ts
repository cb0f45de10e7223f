// Operations on file records. Bytes have endpoints of their own (routes.ts).
import { IdPath, ListRequest, PageOf, Success } from '@millrace/contract/common'
import { CreateFiles, File, SetFileVisibility } from '@millrace/contract/files'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { createFiles, deleteFile, getFile, isEngineCredential, listFiles, setFileVisibility } from './files.ts'

export const fileOperations = [
  operation({
    name: 'files.create',
    route: 'POST /files',
    summary: 'Announce files; each answer has the URL to PUT its bytes to',
    scope: 'files:write',
    // Engines store the outputs of their tasks with their registration key.
    orScope: 'engines:write',
    rateLimit: 'upload',
    uncounted: (actor, { body }) => body.category === 'outputs' && isEngineCredential(actor),
    body: CreateFiles,
    reply: Type.Array(File),
    fails: ['validation_error', 'limit_exceeded', 'feature_not_available'],
    run: (ctx, { body }) => createFiles(ctx, body),
  }),
  operation({
    name: 'files.list',
    route: ['GET /files', 'POST /files/list'],
    summary: 'Files that the caller may see, newest first',
    scope: 'files:read',
    publicRows: true,
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(File)),
    run: (ctx, { body }) => listFiles(ctx, body),
  }),
  operation({
    name: 'files.get',
    route: 'GET /files/:id',
    summary: 'One file record',
    scope: 'files:read',
    publicRows: true,
    path: IdPath,
    reply: File,
    fails: ['not_found'],
    run: (ctx, { path }) => getFile(ctx, path.id),
  }),
  operation({
    name: 'files.delete',
    route: 'DELETE /files/:id',
    summary: 'Delete a file permanently; its address then answers 404',
    scope: 'files:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found', 'forbidden'],
    run: async (ctx, { path }) => {
      await deleteFile(ctx, path.id)
      return { success: true }
    },
  }),
  operation({
    name: 'files.set_visibility',
    route: 'POST /files/:id/visibility',
    summary: 'Change the visibility of a file in lists and by id; its address is readable regardless of visibility',
    scope: 'files:write',
    path: IdPath,
    body: SetFileVisibility,
    reply: File,
    fails: ['not_found', 'forbidden', 'team_role_required', 'validation_error'],
    run: (ctx, { path, body }) => setFileVisibility(ctx, path.id, body.visibility),
  }),
]
