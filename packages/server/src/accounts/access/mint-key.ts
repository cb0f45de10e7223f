// Writes a key that the rules have agreed to. The text is returned once; only its hash and last four are kept.
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { hashToken, lastFour, newKeyText } from '#platform/core/tokens.ts'
import { insertKey } from './keys-store.ts'

/** How the source of a key begins that a program of others was given: its client id follows. */
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
  /** The one engine it may act as, where that is known from the start. */
  engineId?: string
  /** Made for engines that serve every workspace. */
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
