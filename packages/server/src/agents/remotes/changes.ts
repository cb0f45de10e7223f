// Changes to a remote through the API: its fields, its rules, its deletion.
import type { Rule, RuleInput } from '@millrace/contract/agents'
import type { Remote, UpdateRemote } from '@millrace/contract/remotes'
import { addRule, listRules, type RuleOwner, removeRule } from '#accounts/approvals/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { isDuplicate } from '#platform/db/violations.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertReadable, assertWritable } from '#platform/tenancy/private-access.ts'
import { forgetRemote } from '../agents/service.ts'
import * as execStore from './exec-store.ts'
import { failSessions } from './launch.ts'
import { reportedColumns, withProfiles } from './register.ts'
import * as store from './store.ts'
import { execSubject, type RemoteUpdate, remoteSubject } from './subjects.ts'

const audit = (ctx: Ctx, action: string, remote: store.RemoteRow, meta: Record<string, unknown> = {}) =>
  recordAudit(ctx, action, { resourceType: 'remote', resourceId: remote.id, teamId: remote.team_id, meta })

const writable = async (ctx: Ctx, id: string) => assertWritable(ctx, await store.lockRemote(ctx.db, id), 'remote')

/** Writes every field: fields missing in the body are cleared, including the key. */
export const update = (ctx: Ctx, id: string, body: UpdateRemote): Promise<Remote> =>
  ctx.tx(async (ctx) => {
    const remote = await writable(ctx, id)
    const name = body.name ?? ''
    await store
      .updateRemote(ctx.db, remote.id, {
        ...reportedColumns(body),
        name,
        named_by_hand: name !== '' && (remote.named_by_hand || name !== remote.name),
        updated_at: ctx.now().toISOString(),
      })
      .catch((error: unknown) => {
        throw isDuplicate(error, 'remotes_key')
          ? fail('conflict', 'You already have another remote with this key')
          : error
      })
    await audit(ctx, 'remote.updated', remote, { key_changed: (body.public_key ?? '') !== remote.public_key })
    return withProfiles(ctx, remote.id)
  })

export const remove = (ctx: Ctx, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const remote = await writable(ctx, id)
    const now = ctx.now().toISOString()
    for (const run of await execStore.loseRuns(ctx.db, [remote.id], now))
      ctx.emit({ subject: execSubject(run.id), data: null })
    await failSessions(ctx, [remote.id])
    await forgetRemote(ctx, remote.id)
    await store.updateRemote(ctx.db, remote.id, { deleted_at: now, connected: false, status: 'stopped' })
    await audit(ctx, 'remote.deleted', remote, { name: remote.name })
    const cut: RemoteUpdate = { type: 'cut', reason: 'the remote was deleted' }
    ctx.emit({ subject: remoteSubject(remote.id), data: cut })
    return { success: true }
  })

const ownerOf = (remote: store.RemoteRow): RuleOwner => ({ level: 'remote', id: remote.id, teamId: remote.team_id })

export const rules = async (ctx: Ctx, id: string): Promise<Rule[]> =>
  listRules(ctx, ownerOf(await assertReadable(ctx, await store.findRemote(ctx.db, id), 'remote')))

export const createRule = (ctx: Ctx, id: string, input: RuleInput): Promise<Rule> =>
  ctx.tx(async (ctx) => {
    const remote = await writable(ctx, id)
    return addRule(ctx, ownerOf(remote), input, { kind: 'RemoteExec', selector: remote.id })
  })

export const deleteRule = (ctx: Ctx, id: string, ruleId: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => removeRule(ctx, ownerOf(await writable(ctx, id)), ruleId))
