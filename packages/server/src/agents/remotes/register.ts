// Registers a machine by its public key: the same key of the same person in the same workspace is the same remote.
import { newId } from '@millrace/contract/ids'
import type { RegisterRemote, Remote, UpdateRemote } from '@millrace/contract/remotes'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { remoteDto, systemInfoOf } from './dto.ts'
import { reportedProfiles } from './profiles.ts'
import * as store from './store.ts'

/** More machines than a person has; every one is monitored. */
const maxRemotes = 1_000

export const withProfiles = async (ctx: Ctx, id: string): Promise<Remote> => {
  const row = await store.findRemote(ctx.db, id)
  if (!row) throw fail('not_found', 'Remote not found')
  return remoteDto(row, await store.profilesOf(ctx.db, [row.id]))
}

export const reportedColumns = (body: UpdateRemote) => {
  const info = systemInfoOf(body.system_info)
  return {
    public_key: body.public_key ?? '',
    remote_version: body.remote_version ?? '',
    system_info: info === null ? null : JSON.stringify(info),
    exec_enabled: body.exec_enabled ?? false,
    agents_enabled: body.agents_enabled ?? false,
  }
}

const nameOf = ({ name, system_info: info }: RegisterRemote): string => name || info?.hostname || ''

const saveReported = async (ctx: Ctx, remoteId: string, body: RegisterRemote, now: string): Promise<void> => {
  const reported = reportedProfiles(body.harnesses ?? [])
  await store.saveProfiles(ctx.db, { id: remoteId, teamId: ctx.actor.teamId }, reported, now)
  await store.retireProfiles(
    ctx.db,
    remoteId,
    reported.map((profile) => profile.harness_kind),
    now,
  )
}

const update = async (ctx: Ctx, known: store.RemoteRow, body: RegisterRemote): Promise<Remote> => {
  const now = ctx.now().toISOString()
  await store.updateRemote(ctx.db, known.id, {
    ...reportedColumns(body),
    ...(known.named_by_hand ? {} : { name: nameOf(body) }),
    ...(known.connected ? {} : { status: 'pending' as const }),
    updated_at: now,
  })
  await saveReported(ctx, known.id, body, now)
  return withProfiles(ctx, known.id)
}

const insert = async (ctx: Ctx, body: RegisterRemote): Promise<Remote | undefined> => {
  const { teamId, userId } = ctx.actor
  if ((await store.countRemotes(ctx.db, teamId, userId)) >= maxRemotes)
    throw fail('validation_error', `You already have ${maxRemotes} remotes; delete those that are not used`)
  const now = ctx.now().toISOString()
  const id = newId()
  const columns = { id, team_id: teamId, user_id: userId, name: nameOf(body), created_at: now, updated_at: now }
  if (!(await store.insertRemote(ctx.db, { ...columns, ...reportedColumns(body) }))) return undefined
  await saveReported(ctx, id, body, now)
  await recordAudit(ctx, 'remote.registered', {
    resourceType: 'remote',
    resourceId: id,
    meta: { name: nameOf(body), exec_enabled: body.exec_enabled === true },
  })
  return withProfiles(ctx, id)
}

export const register = (ctx: Ctx, body: RegisterRemote): Promise<Remote> =>
  ctx.tx(async (ctx) => {
    const { teamId, userId } = ctx.actor
    const find = () => store.lockRemoteByKey(ctx.db, teamId, userId, body.public_key ?? '')
    const known = await find()
    if (known) return update(ctx, known, body)
    const made = await insert(ctx, body)
    if (made) return made
    // The same machine was registered concurrently, and may have been deleted since.
    const other = await find()
    return other ? update(ctx, other, body) : register(ctx, body)
  })
