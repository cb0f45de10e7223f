// POST /oauth/revoke (RFC 7009): whoever holds a token may end it. An unknown token is ended already.
import { forgetCredentials } from '../../access/service.ts'
import type { Actor } from '../../core/actor.ts'
import type { Ctx } from '../../core/ctx.ts'
import { hashToken, isSessionToken, parseKeyText } from '../../core/tokens.ts'
import { recordAudit } from '../../db/audit.ts'
import * as store from './revoke-store.ts'

export const revoke = async (ctx: Ctx<Actor>, token: string): Promise<void> => {
  if (isSessionToken(token)) await revokeSession(ctx, hashToken(token))
  else if (parseKeyText(token) !== null) await revokeKey(ctx, hashToken(token))
}

const revokeSession = (ctx: Ctx<Actor>, tokenHash: Buffer): Promise<void> =>
  ctx.tx(async (ctx) => {
    const session = await store.endSession(ctx.db, tokenHash, ctx.now().toISOString())
    if (!session) return
    // Short-lived tokens taken from the session end with it.
    const children = await store.endChildren(ctx.db, session.id, ctx.now().toISOString())
    for (const { id } of [session, ...children]) await forgetCredentials(ctx, id)
    await recordAudit(ctx, 'session.revoked', {
      resourceType: 'session',
      resourceId: session.id,
      teamId: session.team_id ?? '',
      meta: { user_id: session.user_id, by: 'token' },
    })
  })

const revokeKey = (ctx: Ctx<Actor>, tokenHash: Buffer): Promise<void> =>
  ctx.tx(async (ctx) => {
    const previous = await store.endPreviousValue(ctx.db, tokenHash)
    if (previous) return forgetCredentials(ctx, previous.key_id)
    const key = await store.endKey(ctx.db, tokenHash, ctx.now().toISOString())
    if (!key) return
    await forgetCredentials(ctx, key.id)
    await recordAudit(ctx, 'apikey.revoked', {
      resourceType: 'apikey',
      resourceId: key.id,
      teamId: key.team_id,
      meta: { user_id: key.user_id, by: 'token' },
    })
  })
