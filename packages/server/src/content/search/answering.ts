// What a search that cannot be answered is called: an index that does not answer is `search_error`, one that the operator has
// switched off `search_unavailable`. A database that is away is everyone's trouble and keeps its own name.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { isDatabaseAway } from '#platform/db/away.ts'

/** The same failure travels with one status from a search and with another from a suggestion. */
export const suggestStatuses = { search_error: 502 } as const

export const answering = async <T>(
  ctx: Ctx<Actor>,
  work: () => Promise<T>,
  statuses: { search_error?: number } = {},
): Promise<T> => {
  if (!ctx.settings.SEARCH) throw fail('search_unavailable', 'The operator of this server has switched search off')
  try {
    return await work()
  } catch (error) {
    if (isFailure(error) || isDatabaseAway(error)) throw error
    throw fail('search_error', {
      detail: 'The index could not be searched; try again',
      status: statuses.search_error,
      cause: error,
    })
  }
}
