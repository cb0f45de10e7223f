// Cleans up after sign-ins: ended sessions, used links, answered challenges.
import type { Platform } from '#platform/core/ctx.ts'
import { deleteAttemptsBefore } from './oidc/oidc-store.ts'
import { deleteEndedSessions } from './sessions/sessions-store.ts'
import { deleteChallengesBefore, deleteLinksBefore } from './sign-in/sign-in-store.ts'

const hourMs = 3_600_000
/** Longer than the hour in which mails to an address are counted. */
const linksKeptMs = 2 * hourMs
const sessionsKeptMs = 24 * hourMs

export const sweepSignIns = async ({ db, now }: Platform): Promise<void> => {
  const before = (keptMs: number) => new Date(now().getTime() - keptMs).toISOString()
  await deleteEndedSessions(db, before(sessionsKeptMs))
  await deleteLinksBefore(db, before(linksKeptMs))
  await deleteChallengesBefore(db, before(hourMs))
  await deleteAttemptsBefore(db, before(hourMs))
}
