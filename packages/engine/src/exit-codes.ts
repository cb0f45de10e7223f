// How the engine program tells its supervisor what to do next.

export const exitCodes = {
  // Stopped or drained on purpose: leave it.
  done: 0,
  // Settings or key are refused, or another process took its place: starting again will not help.
  refused: 78,
  // Wants to be started again, for an update or a restart.
  restart: 75,
} as const
