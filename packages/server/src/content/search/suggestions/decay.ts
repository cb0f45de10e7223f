// The confidence in a decaying entry. Pure.

const dayMs = 86_400_000
const halfLifeDays = 30

/** 1 right after the confirmation, halved every 30 days; 1 for an entry without decay. */
export const confidence = (confirmedAt: Date | null, now: Date): number => {
  if (confirmedAt === null) return 1
  const days = Math.max(0, now.getTime() - confirmedAt.getTime()) / dayMs
  return 0.5 ** (days / halfLifeDays)
}
