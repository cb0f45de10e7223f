// State that belongs to one running server. Two servers in one process, as in tests, do not share it.
import type { Actor } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { Extensions } from './extension-points.ts'

type Parts = Pick<Ctx<Actor>, 'extensions'>

/** Keyed by `extensions`, because the platform itself is copied into every context. */
export const perPlatform = <T, P extends Parts = Parts>(make: (platform: P) => T): ((platform: P) => T) => {
  const made = new WeakMap<Extensions, { value: T }>()
  return (platform) => {
    const known = made.get(platform.extensions) ?? { value: make(platform) }
    made.set(platform.extensions, known)
    return known.value
  }
}
