// Error codes of search: `search_error` if the index fails, `search_unavailable` if the operator has disabled search.
// An unreachable database keeps its own error code.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { isDatabaseUnavailable } from '#platform/db/unavailable.ts'

/** The same error has another status for suggestions. */
export const suggestStatuses = { search_error: 502 } as const

export const answering = async <T>(
  ctx: Ctx<Actor>,
  work: () => Promise<T>,
  statuses: { search_error?: number } = {},
): Promise<T> => {
  if (!ctx.settings.SEARCH) throw fail('search_unavailable', 'Search is disabled on this server')
  try {
    return await work()
  } catch (error) {
    if (isFailure(error) || isDatabaseUnavailable(error)) throw error
    throw fail('search_error', {
      detail: 'The search failed; try again',
      status: statuses.search_error,
      cause: error,
    })
  }
}
