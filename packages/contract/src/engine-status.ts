// The life of an engine: its statuses, and who moves it from where to where, in one table.

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
 * What the server lets happen. Registering moves an engine to `pending` from anywhere; connecting decides by what the stop was
 * for. Everything else is here: an update that makes a move names `from` in its condition.
 */
export const engineMoves = {
  /** The engine says that it drains. */
  drainReported: { from: ['running'], to: 'draining' },
  /** The engine says that it will restart. */
  restartReported: { from: ['running', 'draining'], to: 'restarting' },
  /** The engine takes work again after a drain or restart of its own. */
  returnReported: { from: ['draining', 'restarting'], to: 'running' },
  /** The engine says that it ends. */
  stopReported: { from: ['running', 'draining'], to: 'stopping' },
  /** Its socket is gone. One that restarts or stops keeps saying so. */
  lost: { from: ['pending', 'running', 'draining'], to: 'disconnected' },
  /** Somebody asks for an update or restart. */
  restartAsked: { from: ['running', 'draining', 'restarting'], to: 'restarting' },
} as const satisfies Record<string, EngineMove>

export const mayMoveEngine = (move: EngineMove, from: EngineStatusName): boolean => move.from.includes(from)
