// Uses up a per-minute rate limit with one row instead of hundreds of calls.
import type { World } from './world.ts'

export const useUpRate = async ({ clock, open }: World, name: string, count: number): Promise<void> => {
  const minute = Math.floor(clock.now().getTime() / 60_000) * 60_000
  await open.platform.db
    .insertInto('rate_windows')
    .values({ team_id: 'ip:127.0.0.1', name, window_start: new Date(minute).toISOString(), count })
    .execute()
}
