// Reads a socket no faster than what it said is dealt with. What has been read and waits is counted in bytes; past the
// limit nothing more is read, so at most the limit and one message are held, and the peer's own connection backs up.

export type Pausable = { pause(): void; resume(): void }

export type Intake = {
  /** Counts a message that was read; what it returns is called once it is dealt with. */
  take(sizeBytes: number): () => void
  /** How much was read and is not dealt with. */
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
