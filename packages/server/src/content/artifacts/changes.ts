// Every change of an artifact.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import {
  type ArtifactType,
  artifactMaxBytes,
  type PublishArtifact,
  type PublishVersion,
  type UpdateArtifact,
} from '@millrace/contract/artifacts'
import type { Visibility } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import { rowUpdate, teamSubject } from '#platform/bus/subjects.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertUnchanged } from '#platform/core/etags.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { getOwnTeam, transferTo } from '#platform/tenancy/named-rows.ts'
import { assertPublishable, assertWritable } from '#platform/tenancy/private-access.ts'
import { assertWidening } from '#platform/tenancy/widening.ts'
import { tagOf } from './dto.ts'
import type { ArtifactAtVersion } from './lookup.ts'
import { artifactShortId, nameOfTitle, nameProblem, newArtifactId } from './names.ts'
import * as store from './store.ts'

type IfMatch = string | string[] | undefined

const audit = (ctx: Ctx, action: string, row: { id: string; team_id: string }, meta: Record<string, unknown> = {}) =>
  recordAudit(ctx, `artifact.${action}`, { resourceType: 'artifact', resourceId: row.id, teamId: row.team_id, meta })

/** Notifies the readers of the artifact in its workspace that their lists have changed. */
const notifyLists = (ctx: Ctx, row: store.ArtifactRow): void =>
  ctx.emit({ subject: teamSubject(row.team_id), data: rowUpdate('artifacts', row, {}, 'artifacts:read') })

/** The artifact in its current state, with its newest version. */
const current = async (ctx: Ctx, id: string): Promise<ArtifactAtVersion> => {
  const row = await store.findArtifact(ctx.db, id)
  const version = row && (await store.findVersion(ctx.db, row.id, row.version_id))
  if (!row || !version) throw fail('internal_error', { cause: new Error('A changed artifact does not exist') })
  return { row, version }
}

/** Returns the written artifact and notifies the readers of lists. */
const saved = async (ctx: Ctx, id: string): Promise<ArtifactAtVersion> => {
  const found = await current(ctx, id)
  notifyLists(ctx, found.row)
  return found
}

const writable = async (ctx: Ctx, id: string): Promise<store.ArtifactRow> =>
  assertWritable(ctx, await store.lockArtifact(ctx.db, id), 'artifact')

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

const bytesOf = ({ content, content_encoding }: PublishVersion): Buffer => {
  if (content_encoding === 'base64' && !base64.test(content)) throw fail('validation_error', 'content is not base64')
  const bytes = Buffer.from(content, content_encoding === 'base64' ? 'base64' : 'utf8')
  if (bytes.length > artifactMaxBytes)
    throw fail('payload_too_large', `content has ${bytes.length} bytes; at most ${artifactMaxBytes} are stored`)
  if (!isUtf8(bytes)) throw fail('validation_error', 'content must be UTF-8 text')
  return bytes
}

const digest = (algorithm: 'sha256' | 'md5', bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex')

const insertVersion = async (ctx: Ctx, artifactId: string, body: PublishVersion): Promise<string> => {
  const content = bytesOf(body)
  const id = newId()
  await store.insertVersion(ctx.db, {
    id,
    artifact_id: artifactId,
    content,
    content_hash: digest('sha256', content),
    md5: digest('md5', content),
    size_bytes: content.length,
    label: body.label ?? '',
    notes: body.notes ?? '',
    origin: body.origin ?? '',
    generated_by: body.generated_by ?? '',
    capabilities: JSON.stringify(body.capabilities ?? {}),
    created_by: ctx.actor.userId,
    created_at: ctx.now().toISOString(),
  })
  return id
}

/** Images are replaced as a set. */
const textsOf = ({ title, description, favicon, images }: UpdateArtifact) => ({
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
  ...(favicon === undefined ? {} : { favicon }),
  ...(images === undefined ? {} : { images: JSON.stringify(images) }),
})

/**
 * Accepts a tag of any version that the writer could have read: the newest or the shared one. For the newest version,
 * its id or the hash of its content is also accepted.
 */
const assertTag = async (ctx: Ctx, row: store.ArtifactRow, ifMatch: IfMatch): Promise<void> => {
  if (ifMatch === undefined) return
  const current = await store.findVersion(ctx.db, row.id, row.version_id)
  const read = [row.version_id, row.shared_version_id ?? row.version_id].map((id) => tagOf(row, id))
  assertUnchanged(ifMatch, [...read, row.version_id, current?.content_hash ?? ''])
}

/** Refuses a base version that is not the newest, and any base version when the artifact does not exist. */
const assertBase = async (
  ctx: Ctx,
  row: store.ArtifactRow | undefined,
  { base_version_id: base, force }: PublishVersion,
): Promise<void> => {
  if (!base || force) return
  if (row && (await store.findVersion(ctx.db, row.id, base))?.id === row.version_id) return
  throw fail('version_conflict', {
    detail: row
      ? 'A newer version was published; read it first, or publish over it with force'
      : 'No artifact has this name; omit base_version_id, or publish with force',
    meta: { base_version_id: base, version_id: row?.version_id ?? null },
  })
}

/** Must run in a transaction that has locked the artifact. */
const addVersion = async (
  ctx: Ctx,
  row: store.ArtifactRow,
  body: PublishVersion,
  ifMatch: IfMatch,
  newType?: ArtifactType,
): Promise<ArtifactAtVersion> => {
  await assertTag(ctx, row, ifMatch)
  await assertBase(ctx, row, body)
  const version_id = await insertVersion(ctx, row.id, body)
  const now = ctx.now().toISOString()
  const type = newType === undefined ? {} : { type: newType }
  await store.updateArtifact(ctx.db, row.id, { ...textsOf(body), ...type, version_id, updated_at: now })
  await audit(ctx, 'published', row, { version_id })
  return saved(ctx, row.id)
}

export const publishVersion = (
  ctx: Ctx,
  id: string,
  body: PublishVersion,
  ifMatch: IfMatch,
): Promise<ArtifactAtVersion> => ctx.tx(async (ctx) => addVersion(ctx, await writable(ctx, id), body, ifMatch))

/** If the workspace already has an artifact of this name, the artifact gets a new version. */
export const publish = (ctx: Ctx, body: PublishArtifact, ifMatch: IfMatch): Promise<ArtifactAtVersion> =>
  ctx.tx(async (ctx) => {
    const team = await getOwnTeam(ctx)
    const id = newArtifactId()
    const name = body.name || nameOfTitle(body.title) || artifactShortId(id).replace('_', '-')
    const problem = nameProblem(name)
    if (problem) throw fail('validation_error', problem)
    const existing = await store.lockArtifactByRef(ctx.db, team.username, name)
    if (existing) return addVersion(ctx, await assertPublishable(ctx, existing, 'artifact'), body, ifMatch, body.type)
    assertUnchanged(ifMatch, [])
    await assertBase(ctx, undefined, body)
    const version_id = await insertVersion(ctx, id, body)
    const now = ctx.now().toISOString()
    const inserted = await store.insertArtifact(ctx.db, {
      id,
      team_id: team.id,
      user_id: ctx.actor.userId,
      namespace: team.username,
      name,
      ...textsOf(body),
      title: body.title,
      type: body.type ?? 'html',
      version_id,
      created_at: now,
      updated_at: now,
    })
    if (!inserted) throw fail('version_conflict', `${team.username}/${name} was published at the same moment`)
    await audit(ctx, 'created', { id, team_id: team.id }, { ref: `${team.username}/${name}` })
    return saved(ctx, id)
  })

export const update = (ctx: Ctx, id: string, body: UpdateArtifact, ifMatch: IfMatch): Promise<ArtifactAtVersion> =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    await assertTag(ctx, row, ifMatch)
    const pin = body.shared_version_id
    const shared = pin ? await store.findVersion(ctx.db, row.id, pin) : undefined
    if (pin && !shared) throw fail('validation_error', 'shared_version_id is not a version of this artifact')
    await store.updateArtifact(ctx.db, row.id, {
      ...textsOf(body),
      ...(pin === undefined ? {} : { shared_version_id: shared?.id ?? null }),
      updated_at: ctx.now().toISOString(),
    })
    await audit(ctx, 'updated', row, pin === undefined ? {} : { shared_version_id: shared?.id ?? '' })
    return saved(ctx, row.id)
  })

export const setVisibility = (
  ctx: Ctx,
  id: string,
  visibility: Visibility,
  ifMatch: IfMatch,
): Promise<ArtifactAtVersion> =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    await assertTag(ctx, row, ifMatch)
    if (row.visibility === visibility) return current(ctx, row.id)
    assertWidening(ctx, row, visibility)
    await store.updateArtifact(ctx.db, row.id, { visibility, updated_at: ctx.now().toISOString() })
    await audit(ctx, 'visibility_changed', row, { from: row.visibility, to: visibility })
    // Also notify users who just lost access.
    notifyLists(ctx, row)
    return saved(ctx, row.id)
  })

/** The artifact keeps its id, name and versions and moves to the namespace of the new workspace. */
export const transfer = (ctx: Ctx, id: string, teamId: string, ifMatch: IfMatch): Promise<ArtifactAtVersion> =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    await assertTag(ctx, row, ifMatch)
    const target = await transferTo(ctx, 'artifacts', {
      row: row,
      teamId,
      move: (to) => store.moveArtifact(ctx.db, row.id, to),
    })
    if (!target) return current(ctx, row.id)
    await audit(ctx, 'transferred', row, { from: row.team_id, to: target.id })
    notifyLists(ctx, row)
    return saved(ctx, row.id)
  })

export const remove = (ctx: Ctx, id: string, ifMatch: IfMatch): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    await assertTag(ctx, row, ifMatch)
    const now = ctx.now().toISOString()
    await store.updateArtifact(ctx.db, row.id, { deleted_at: now, updated_at: now })
    await audit(ctx, 'deleted', row, { ref: `${row.namespace}/${row.name}` })
    notifyLists(ctx, row)
    return { success: true }
  })
