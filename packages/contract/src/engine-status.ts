// The lifecycle of an engine: its statuses and all transitions in one table.

export const engineStatuses = [
  'pending',
  'running',
  'draining',
  'restarting',
  'disconnected',
  'stopping',
  'stopped',
] as const
export type EngineStatusName = (typeof engineStatuses)[number]

export type EngineMove = { readonly from: readonly EngineStatusName[]; readonly to: EngineStatusName }

/**
 * The transitions that the server permits. Registration moves an engine to `pending` from any status; on connect the
 * status depends on the reason of the stop. All others are listed here; an update uses `from` in its condition.
 */
export const engineMoves = {
  /** The engine reports that it is draining. */
  drainReported: { from: ['running'], to: 'draining' },
  /** The engine reports that it will restart. */
  restartReported: { from: ['running', 'draining'], to: 'restarting' },
  /** The engine reports that it accepts work again after its own drain or restart. */
  returnReported: { from: ['draining', 'restarting'], to: 'running' },
  /** The engine reports that it is stopping. */
  stopReported: { from: ['running', 'draining'], to: 'stopping' },
  /** Its socket was closed. A restarting or stopping engine retains its status. */
  lost: { from: ['pending', 'running', 'draining'], to: 'disconnected' },
  /** A caller requests an update or restart. */
  restartAsked: { from: ['running', 'draining', 'restarting'], to: 'restarting' },
} as const satisfies Record<string, EngineMove>

export const mayMoveEngine = (move: EngineMove, from: EngineStatusName): boolean => move.from.includes(from)
