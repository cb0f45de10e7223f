// State that belongs to one running server. Two servers in one process, as in tests, do not share it.
import type { Actor } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { Extensions } from './extension-points.ts'

/** Keyed by `extensions`, because the platform itself is copied into every context. */
export const perPlatform = <T>(make: () => T): ((ctx: Pick<Ctx<Actor>, 'extensions'>) => T) => {
  const made = new WeakMap<Extensions, { value: T }>()
  return ({ extensions }) => {
    const known = made.get(extensions) ?? { value: make() }
    made.set(extensions, known)
    return known.value
  }
}
