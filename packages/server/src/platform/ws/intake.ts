// Reads a socket no faster than its messages are processed. Unprocessed messages are counted in bytes; above the limit,
// reading pauses, so at most the limit and one message are in memory.

export type Pausable = { pause(): void; resume(): void }

export type Intake = {
  /** Counts a message; the returned function is called when it was processed. */
  take(sizeBytes: number): () => void
  /** Bytes of unprocessed messages. */
  heldBytes(): number
}

export const createIntake = (socket: Pausable, limitBytes: number): Intake => {
  let held = 0
  return {
    take: (sizeBytes) => {
      held += sizeBytes
      if (held > limitBytes) socket.pause()
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        const wasFull = held > limitBytes
        held -= sizeBytes
        if (wasFull && held <= limitBytes) socket.resume()
      }
    },
    heldBytes: () => held,
  }
}
