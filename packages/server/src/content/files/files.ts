// Rules of file records: creation, visibility and deletion. uploads.ts receives the bytes.
import { randomBytes } from 'node:crypto'
import type { ListRequest, Page, Visibility } from '@millrace/contract/common'
import type { CreateFiles, File } from '@millrace/contract/files'
import { newId } from '@millrace/contract/ids'
import { holds } from '@millrace/contract/scopes'
import { mediaRandomBytes, uploadUrlLifetimeSeconds } from '#platform/blobs/signed-urls.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { requireScope } from '#platform/core/scope-checks.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import {
  assertMayWiden,
  assertReadable,
  assertWritable,
  listedWith,
  listReach,
} from '#platform/tenancy/private-access.ts'
import { describe, newMediaKey } from './addresses.ts'
import { dropBytesJob } from './delete-bytes-job.ts'
import { fileDto } from './dto.ts'
import { requireRoom } from './storage.ts'
import * as store from './store.ts'

/** A key that lists engine scopes by name was created for an engine; a full-access key only includes them. */
export const isEngineCredential = (actor: Actor): boolean =>
  actor.kind === 'key' && actor.grant.kind === 'listed' && holds(actor.grant, 'engines:write', actor)

/** The row of a new record. Its expiry is in whole seconds, like the expiry in the URL. */
export const planFile = (
  actor: Member,
  given: Parameters<typeof describe>[0],
  category: store.FileRow['category'],
  now: Date,
): store.NewFile & { id: string; size: number; max_bytes: number } => {
  const described = describe(given)
  const expiresAtSeconds = Math.floor(now.getTime() / 1000) + uploadUrlLifetimeSeconds
  return {
    id: newId(),
    team_id: actor.teamId,
    user_id: actor.userId,
    // A file of a workspace key belongs to no person.
    visibility: actor.isPerson ? 'private' : 'team',
    category,
    ...described,
    media_key: newMediaKey(actor.teamId, described, randomBytes(mediaRandomBytes)),
    upload_expires_at: new Date(expiresAtSeconds * 1000).toISOString(),
    adopted: !(category === 'outputs' && isEngineCredential(actor)),
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  }
}

export const createFiles = (ctx: Ctx, { files, category = 'files' }: CreateFiles): Promise<File[]> =>
  ctx.tx(async (ctx) => {
    const { actor, db } = ctx
    // Without the scope for files, an engine may store only the outputs of its tasks.
    if (category !== 'outputs') requireScope(actor, 'files:write')
    const planned = files.map((file) => planFile(actor, file, category, ctx.now()))
    await requireRoom(
      ctx,
      actor.teamId,
      planned.reduce((sum, file) => sum + file.size, 0),
    )
    const rows = new Map((await store.insertFiles(db, planned)).map((row) => [row.id, row]))
    // In the order of the request, not of the returned rows.
    return planned.flatMap(({ id }) => {
      const row = rows.get(id)
      return row ? [fileDto(ctx, row)] : []
    })
  })

const listSpec: ListSpec = {
  id: 'files.id',
  columns: {
    id: { ref: 'files.id', type: 'text' },
    filename: { ref: 'files.filename', type: 'text' },
    content_type: { ref: 'files.content_type', type: 'text' },
    size: { ref: 'files.size', type: 'number' },
    path: { ref: 'files.path', type: 'text' },
    category: { ref: 'files.category', type: 'text' },
    rating: { ref: 'files.rating', type: 'text' },
    visibility: { ref: 'files.visibility', type: 'text' },
    user_id: { ref: 'files.user_id', type: 'text' },
    team_id: { ref: 'files.team_id', type: 'text' },
    created_at: { ref: 'files.created_at', type: 'time' },
    updated_at: { ref: 'files.updated_at', type: 'time' },
  },
  search: ['filename', 'path', 'content_type'],
  defaultLimit: 10,
}

export const listFiles = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<File>>> => {
  const { actor, db, notice } = ctx
  const reach = await listReach(ctx, request, 'file')
  const seen = store.allFiles(db).where(listedWith(actor, 'files', reach, request.permissions))
  return runOwnedList(seen, { db, spec: listSpec, request, toItem: (row) => fileDto(ctx, row), notice })
}

export const getFile = async (ctx: Ctx<Actor>, id: string): Promise<File> =>
  fileDto(ctx, await assertReadable(ctx, await store.findFile(ctx.db, id), 'file'))

export const setFileVisibility = (ctx: Ctx, id: string, visibility: Visibility): Promise<File> =>
  ctx.tx(async (ctx) => {
    const file = await assertWritable(ctx, await store.lockFile(ctx.db, id), 'file')
    assertMayWiden(ctx, file, visibility)
    const row = await store.setVisibility(ctx.db, file.id, visibility, ctx.now().toISOString())
    const meta = { from: file.visibility, to: visibility }
    const entry = { resourceType: 'file', resourceId: file.id, teamId: file.team_id, meta }
    await recordAudit(ctx, 'file.visibility_changed', entry)
    return fileDto(ctx, row)
  })

export const deleteFile = (ctx: Ctx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const file = await assertWritable(ctx, await store.lockFile(ctx.db, id), 'file')
    await removeFiles(ctx, file.team_id, [file.id])
    const meta = { filename: file.filename, size: file.size }
    await recordAudit(ctx, 'file.deleted', { resourceType: 'file', resourceId: file.id, teamId: file.team_id, meta })
  })

/** The records are deleted at once, the bytes by a job of the same transaction. */
export const removeFiles = async (ctx: Ctx<Actor>, teamId: string, ids: readonly string[]): Promise<number> => {
  if (ids.length === 0) return 0
  const removed = await store.deleteFiles(ctx.db, teamId, ids)
  await dropBytesJob.add(
    ctx,
    removed.flatMap(({ blob_key }) => (blob_key === null ? [] : [blob_key])),
  )
  return removed.length
}
