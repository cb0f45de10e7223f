// Keys of engines. A key that was made for an engine acts as that engine and no other; serving every workspace takes a key
// that was made for it by the platform's staff, or staff itself.
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { bindKeyToEngine, findEngineKey } from './keys-store.ts'

export type EngineRights = {
  /** The caller may register and be engines that serve every workspace. */
  readonly servesAll: boolean
  /** Throws unless the caller may act as this engine; null is one that is not registered yet. */
  assertMayBe(engineId: string | null): void
  /** The caller is a key that was made for this engine, whoever it belongs to. */
  isMadeFor(engineId: string): boolean
  /** Throws for a key that was made for an engine: it runs tasks and spends nothing. */
  assertMaySpend(): void
  /** From now on a key that was made for an engine is this one's. */
  bind(engineId: string): Promise<void>
}

export const engineRightsOf = async (ctx: Ctx<Member>): Promise<EngineRights> => {
  const { actor, db } = ctx
  const key = actor.kind === 'key' ? await findEngineKey(db, actor.teamId, actor.credentialId) : undefined
  const isEngines = key?.source.startsWith('engine:') ?? false
  return {
    servesAll: actor.inPlatformTeam && (actor.platform === 'powered' || key?.serves_all === true),
    assertMayBe: (engineId) => {
      if (isEngines && key?.engine_id && key.engine_id !== engineId)
        throw fail('forbidden', 'This key belongs to another engine')
    },
    isMadeFor: (engineId) => isEngines && key?.engine_id === engineId,
    assertMaySpend: () => {
      if (isEngines) throw fail('forbidden', 'The key of an engine rents no machines and pays for none')
    },
    bind: async (engineId) => {
      if (isEngines && !key?.engine_id) await bindKeyToEngine(db, actor.teamId, actor.credentialId, engineId)
    },
  }
}
