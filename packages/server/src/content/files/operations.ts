// The doors of file records. Bytes have doors of their own (routes.ts); the rules are in files.ts.
import { IdPath, ListRequest, PageOf, Success } from '@millrace/contract/common'
import { CreateFiles, File, SetFileVisibility } from '@millrace/contract/files'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { createFiles, deleteFile, getFile, isEngineCredential, listFiles, setFileVisibility } from './files.ts'

export const fileOperations = [
  operation({
    name: 'files.create',
    door: 'POST /files',
    summary: 'Announce files; each answer holds the URL to PUT its bytes to',
    scope: 'files:write',
    // Engines store the outputs of their tasks with the key they registered with.
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
    door: ['GET /files', 'POST /files/list'],
    summary: 'Files that this caller may see, newest first',
    scope: 'files:read',
    publicRows: true,
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(File)),
    run: (ctx, { body }) => listFiles(ctx, body),
  }),
  operation({
    name: 'files.get',
    door: 'GET /files/:id',
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
    door: 'DELETE /files/:id',
    summary: 'Delete a file for good; its address answers 404 from then on',
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
    door: 'POST /files/:id/visibility',
    summary: 'Choose who sees a file in lists and by id; its address works for whoever knows it in any case',
    scope: 'files:write',
    path: IdPath,
    body: SetFileVisibility,
    reply: File,
    fails: ['not_found', 'forbidden', 'team_role_required', 'validation_error'],
    run: (ctx, { path, body }) => setFileVisibility(ctx, path.id, body.visibility),
  }),
]
