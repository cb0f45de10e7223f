// Reads a socket no faster than its messages are processed. Unprocessed messages are counted in bytes; above the limit,
// reading pauses, so at most the limit and one message are in memory.

export type Pausable = { pause(): void; resume(): void }

export type SocketIntake = {
  /** Counts a message; the returned function is called when it was processed. */
  take(sizeBytes: number): () => void
  /** Bytes of unprocessed messages. */
  unprocessedBytes(): number
}

export const createSocketIntake = (socket: Pausable, limitBytes: number): SocketIntake => {
  let unprocessed = 0
  return {
    take: (sizeBytes) => {
      unprocessed += sizeBytes
      if (unprocessed > limitBytes) socket.pause()
      let isCounted = true
      return () => {
        if (!isCounted) return
        isCounted = false
        const wasFull = unprocessed > limitBytes
        unprocessed -= sizeBytes
        if (wasFull && unprocessed <= limitBytes) socket.resume()
      }
    },
    unprocessedBytes: () => unprocessed,
  }
}
