// POST /oauth/revoke (RFC 7009): the holder of a token can revoke it. An unknown token counts as revoked.

import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { hashToken, isSessionToken, parseKeyText } from '#platform/core/tokens.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { forgetCredentials } from '../../access/service.ts'
import { revokeSession as endSession } from '../sessions/sessions-store.ts'
import * as store from './revoke-store.ts'

export const revoke = async (ctx: Ctx<Actor>, token: string): Promise<void> => {
  if (isSessionToken(token)) await revokeSession(ctx, hashToken(token))
  else if (parseKeyText(token) !== null) await revokeKey(ctx, hashToken(token))
}

const revokeSession = (ctx: Ctx<Actor>, tokenHash: Buffer): Promise<void> =>
  ctx.tx(async (ctx) => {
    const session = await store.findTokenSession(ctx.db, tokenHash)
    if (!session) return
    const { user_id, team_id } = session
    for (const ended of await endSession(ctx.db, user_id, session.id, ctx.now().toISOString())) {
      await forgetCredentials(ctx, ended)
      await recordAudit(ctx, 'session.revoked', {
        resourceType: 'session',
        resourceId: ended,
        teamId: team_id ?? '',
        meta: { user_id, by: 'token' },
      })
    }
  })

const revokeKey = (ctx: Ctx<Actor>, tokenHash: Buffer): Promise<void> =>
  ctx.tx(async (ctx) => {
    const previous = await store.endPreviousValue(ctx.db, tokenHash)
    if (previous) return forgetCredentials(ctx, previous.key_id)
    const key = await store.endKey(ctx.db, tokenHash, ctx.now().toISOString())
    if (!key) return
    await forgetCredentials(ctx, key.id)
    await recordAudit(ctx, 'api_key.revoked', {
      resourceType: 'api_key',
      resourceId: key.id,
      teamId: key.team_id,
      meta: { name: key.name, created_by: key.created_by, by: 'token' },
    })
  })
