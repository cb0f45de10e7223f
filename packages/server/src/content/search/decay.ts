// How much a fading entry can still be relied on. Pure: the times come in.

const dayMs = 86_400_000
const halfLifeDays = 30

/** 1 when it was confirmed just now, halved with every 30 days since; 1 for what does not fade. */
export const confidence = (confirmedAt: Date | null, now: Date): number => {
  if (confirmedAt === null) return 1
  const days = Math.max(0, now.getTime() - confirmedAt.getTime()) / dayMs
  return 0.5 ** (days / halfLifeDays)
}
