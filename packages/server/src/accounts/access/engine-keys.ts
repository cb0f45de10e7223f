// Keys of engines. A key created for an engine acts only as that engine. Engines that serve every workspace need a key
// created for this purpose by the platform's staff, or staff itself.
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { bindKeyToEngine, findEngineKey } from './keys-store.ts'

export type EngineRights = {
  /** Whether the caller may register engines that serve every workspace. */
  readonly servesAll: boolean
  /** Fails unless the caller may act as this engine; null means an engine that is not registered yet. */
  assertMayBe(engineId: string | null): void
  /** Whether the caller is a key created for this engine, regardless of its owner. */
  isMadeFor(engineId: string): boolean
  /** Fails for engine keys, which run tasks and cannot spend money. */
  assertMaySpend(): void
  /** Binds an engine key to this engine. */
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
      if (isEngines) throw fail('forbidden', "An engine's key cannot rent or pay for machines")
    },
    bind: async (engineId) => {
      if (isEngines && !key?.engine_id) await bindKeyToEngine(db, actor.teamId, actor.credentialId, engineId)
    },
  }
}
