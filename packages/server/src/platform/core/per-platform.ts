// State that belongs to one running server. Two servers in one process, as in tests, do not share it.
import type { Actor } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { Hooks } from './hooks.ts'

/** Keyed by `hooks`, because the platform itself is copied into every context. */
export const perPlatform = <T>(make: () => T): ((ctx: Pick<Ctx<Actor>, 'hooks'>) => T) => {
  const made = new WeakMap<Hooks, { value: T }>()
  return ({ hooks }) => {
    const known = made.get(hooks) ?? { value: make() }
    made.set(hooks, known)
    return known.value
  }
}
