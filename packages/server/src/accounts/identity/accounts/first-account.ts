// Waits for the first account, which creates the platform's workspace.
import type { Platform } from '#platform/core/ctx.ts'
import { findPlatformTeam, selectPlatformTeam } from './accounts-store.ts'

type PlatformTeam = NonNullable<Awaited<ReturnType<typeof findPlatformTeam>>>

/**
 * Null after `stop`. The periodic tasks check for the workspace in their one statement, so an installation without
 * accounts causes no further queries.
 */
export const awaitPlatformTeam = async (platform: Platform, stop: AbortSignal): Promise<PlatformTeam | null> => {
  const known = await findPlatformTeam(platform.db)
  if (known || stop.aborted) return known ?? null
  return new Promise((resolve) => {
    const end = (team: PlatformTeam | null): void => {
      stop.removeEventListener('abort', giveUp)
      void leave()
      resolve(team)
    }
    const giveUp = (): void => end(null)
    stop.addEventListener('abort', giveUp)
    const leave = platform.periodicTasks.add({
      name: 'first account',
      values: () => [],
      due: (db) => [selectPlatformTeam(db)],
      work: async () => {
        const team = await findPlatformTeam(platform.db)
        if (team) end(team)
      },
    })
  })
}
