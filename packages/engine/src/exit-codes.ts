// Exit codes, and what the supervisor does for each.

export const exitCodes = {
  // Stopped or drained on request: do not restart.
  done: 0,
  // Settings or key are rejected, or another process took over: a restart will not help.
  refused: 78,
  // Restart is required, after an update or on request.
  restart: 75,
} as const
