// Lists the credentials of a workspace, and finds the one that a caller would use.
import type { ListRequest, Page } from '@millrace/contract/common'
import type { Credential } from '@millrace/contract/credentials'
import { type Actor, isMember, type Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { assertReadable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { credentialDto } from './dto.ts'
import * as store from './store.ts'

const listSpec: ListSpec = {
  id: 'credentials.id',
  columns: {
    id: { ref: 'credentials.id', type: 'text' },
    provider: { ref: 'credentials.provider', type: 'text' },
    type: { ref: 'credentials.type', type: 'text' },
    grant: { ref: 'credentials.grant', type: 'text' },
    status: { ref: 'credentials.status', type: 'text' },
    scope: { ref: 'credentials.scope', type: 'text' },
    display_name: { ref: 'credentials.display_name', type: 'text' },
    account_name: { ref: 'credentials.account_name', type: 'text' },
    scopes: { ref: 'credentials.scopes', type: 'array' },
    is_primary: { ref: 'credentials.is_primary', type: 'boolean' },
    user_id: { ref: 'credentials.user_id', type: 'text' },
    visibility: { ref: 'credentials.visibility', type: 'text' },
    expires_at: { ref: 'credentials.expires_at', type: 'time', nullable: true },
    created_at: { ref: 'credentials.created_at', type: 'time' },
    updated_at: { ref: 'credentials.updated_at', type: 'time' },
  },
  search: ['provider', 'display_name', 'account_name'],
}

export const list = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<Credential>>> => {
  const { db, actor, notice } = ctx
  const reach = await listReach(ctx, request, 'credential')
  const visible = store.liveCredentials(db).where(listedWith(actor, 'credentials', reach, request.permissions))
  return runOwnedList(visible, { db, spec: listSpec, request, notice, toItem: credentialDto })
}

export const holderOf = ({ teamId, userId }: Member): store.CredentialHolder => ({ teamId, userId })

const credentialNotFound = (text: string) => fail('not_found', `Credential not found: ${text}`)

/** By slug: the credential the caller would use. By id: exactly that one, if the caller can see it. */
export const get = async (ctx: Ctx<Actor>, text: string): Promise<Credential> => {
  const { actor, db } = ctx
  if (!isMember(actor)) {
    const open = await store.findPublic(db, text)
    if (!open) throw credentialNotFound(text)
    return credentialDto(open)
  }
  const [used] = await store.findReachable(db, holderOf(actor), text)
  if (used) return credentialDto(used)
  const row = await store.findByIdFor(db, holderOf(actor), text, actor.orgAdmin ? actor.orgId : null)
  if (!row) throw credentialNotFound(text)
  // Inherited credentials belong to another workspace, but are visible.
  const isInherited = row.scope === 'org' || row.scope === 'platform'
  if (row.team_id !== actor.teamId && isInherited) return credentialDto(row)
  return credentialDto(await assertReadable(ctx, row, 'credential'))
}
