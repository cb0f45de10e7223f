// Batches messages to other servers into few payloads, within a byte limit. If the limit is exceeded, the oldest
// messages are dropped and counted.

/** One message: subject, data as text, and its target server or null. */
export type OutgoingMessage = { readonly subject: string; readonly text: string; readonly to: string | null }

export type Outbox = {
  add(message: OutgoingMessage): void
  /** Returns everything as payloads; a message that exceeds a payload is separate. */
  take(): { payloads: string[]; large: OutgoingMessage[] }
  isEmpty(): boolean
  readonly dropped: number
}

export const createOutbox = ({ payloadBytes, maxBytes }: { payloadBytes: number; maxBytes: number }): Outbox => {
  let waiting: OutgoingMessage[] = []
  let bytes = 0
  let dropped = 0
  const sizeOf = ({ subject, text, to }: OutgoingMessage): number =>
    subject.length + text.length + (to?.length ?? 4) + 16
  return {
    add: (message) => {
      waiting.push(message)
      bytes += sizeOf(message)
      while (bytes > maxBytes && waiting.length > 1) {
        const [oldest] = waiting.splice(0, 1)
        if (oldest) bytes -= sizeOf(oldest)
        dropped += 1
      }
    },
    take: () => {
      const messages = waiting
      waiting = []
      bytes = 0
      const payloads: string[] = []
      const large: OutgoingMessage[] = []
      let packed: string[] = []
      let packedBytes = 0
      const close = (): void => {
        if (packed.length > 0) payloads.push(`[${packed.join(',')}]`)
        packed = []
        packedBytes = 2
      }
      close()
      for (const message of messages) {
        const item = `[${JSON.stringify(message.subject)},${JSON.stringify(message.to)},${message.text}]`
        const itemBytes = Buffer.byteLength(item) + 1
        if (itemBytes + 2 > payloadBytes) {
          // Keeps the order: earlier messages are sent before it.
          close()
          large.push(message)
          payloads.push(`@${large.length - 1}`)
          continue
        }
        if (packedBytes + itemBytes > payloadBytes) close()
        packed.push(item)
        packedBytes += itemBytes
      }
      close()
      return { payloads, large }
    },
    isEmpty: () => waiting.length === 0,
    get dropped() {
      return dropped
    },
  }
}
