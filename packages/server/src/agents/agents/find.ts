// Resolves text to an agent: an id, a short id, or a ref with or without a version.
import { isId, isShortId } from '@millrace/contract/ids'
import { parseRef } from '@millrace/contract/refs'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { findTeam } from '#platform/tenancy/team-refs.ts'
import * as store from './store.ts'

export type FoundAgent = { row: store.AgentRow | undefined; version: string | null }

/** A name in the caller's namespace takes precedence over a short id. */
export const findByText = async (ctx: Ctx<Actor>, text: string): Promise<FoundAgent> => {
  if (isId(text)) return { row: await store.findAgent(ctx.db, text), version: null }
  const ref = parseRef(text)
  if (!ref || ref.function !== null || (ref.type !== null && ref.type !== 'agent'))
    return { row: undefined, version: null }
  const own = isMember(ctx.actor) ? await findTeam(ctx.db, ctx.actor.teamId) : undefined
  const namespace = ref.namespace ?? own?.username
  const row = namespace === undefined ? undefined : await store.findAgentByRef(ctx.db, namespace, ref.name)
  if (row || !isShortId(text)) return { row, version: ref.version }
  return { row: await store.findAgent(ctx.db, text), version: null }
}
