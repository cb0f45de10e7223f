// The other servers, based on their heartbeat every second.

const silentMs = 5_000

export type PeerState = 'up' | 'draining' | 'gone'

export type Peers = {
  update(id: string, state: PeerState): void
  /** Running servers; draining ones only if there is no other. */
  up(): readonly string[]
}

export const createPeers = (nowMs: () => number): Peers => {
  const known = new Map<string, { seenMs: number; state: PeerState }>()
  return {
    update: (id, state) => {
      if (state === 'gone') known.delete(id)
      else known.set(id, { seenMs: nowMs(), state })
    },
    up: () => {
      const since = nowMs() - silentMs
      for (const [id, { seenMs }] of known) if (seenMs < since) known.delete(id)
      const staying = [...known].filter(([, { state }]) => state === 'up')
      return (staying.length > 0 ? staying : [...known]).map(([id]) => id)
    },
  }
}
