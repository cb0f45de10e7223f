// Stores a key that the rules accepted. The text is returned once; only its hash and last four characters are stored.
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { hashToken, lastFour, newKeyText } from '#platform/core/tokens.ts'
import { insertKey } from './keys-store.ts'

/** The prefix of the source of OAuth client keys, followed by the client id. */
export const programSource = 'oauth:'

export type NewKey = {
  teamId: string
  userId: string
  createdBy: string
  name: string
  scope: 'user' | 'workspace'
  scopes: readonly string[]
  holdsEngineScopes: boolean
  source: string
  /** The one engine that it may act as, if known at creation. */
  engineId?: string
  /** Created for engines that serve every workspace. */
  servesAll?: boolean
  expiresAt: Date | null
}

export const mintKey = async (ctx: Ctx<Actor>, key: NewKey) => {
  const text = newKeyText()
  const now = ctx.now().toISOString()
  const row = await insertKey(ctx.db, {
    id: newId(),
    team_id: key.teamId,
    user_id: key.userId,
    created_by: key.createdBy,
    name: key.name,
    scope: key.scope,
    scopes: [...key.scopes],
    holds_engine_scopes: key.holdsEngineScopes,
    token_hash: hashToken(text),
    last_four: lastFour(text),
    source: key.source,
    engine_id: key.engineId ?? null,
    serves_all: key.servesAll ?? false,
    expires_at: key.expiresAt?.toISOString() ?? null,
    created_at: now,
    updated_at: now,
  })
  return { row, text }
}
