// Cleans up after sign-ins: ended sessions, used links, answered challenges.
import type { Platform } from '#platform/core/ctx.ts'
import { deleteAttemptsBefore } from './oidc/oidc-store.ts'
import { deleteEndedSessions } from './sessions/sessions-store.ts'
import { deleteChallengesBefore, deleteLinksBefore } from './sign-in/sign-in-store.ts'

const hourMs = 3_600_000
/** Longer than the hour in which mails to an address are counted. */
const linksRetentionMs = 2 * hourMs
const sessionsRetentionMs = 24 * hourMs

export const sweepSignIns = async ({ db, now }: Platform): Promise<void> => {
  const before = (retentionMs: number) => new Date(now().getTime() - retentionMs).toISOString()
  await deleteEndedSessions(db, before(sessionsRetentionMs))
  await deleteLinksBefore(db, before(linksRetentionMs))
  await deleteChallengesBefore(db, before(hourMs))
  await deleteAttemptsBefore(db, before(hourMs))
}
