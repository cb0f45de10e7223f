// What waits to be sent to the other servers: gathered for a moment, packed into as few payloads as it fits, bounded in
// bytes. What no longer fits is dropped, the oldest first, and counted.

/** One message as it travels: subject, text of its data, and the server it is meant for or none. */
export type Letter = { readonly subject: string; readonly text: string; readonly to: string | null }

export type Outbox = {
  add(letter: Letter): void
  /** Everything that waits, packed; a letter that fits into no payload stands alone. */
  take(): { payloads: string[]; large: Letter[] }
  isEmpty(): boolean
  readonly dropped: number
}

export const createOutbox = ({ payloadBytes, mostBytes }: { payloadBytes: number; mostBytes: number }): Outbox => {
  let waiting: Letter[] = []
  let bytes = 0
  let dropped = 0
  const sizeOf = ({ subject, text, to }: Letter): number => subject.length + text.length + (to?.length ?? 4) + 16
  return {
    add: (letter) => {
      waiting.push(letter)
      bytes += sizeOf(letter)
      while (bytes > mostBytes && waiting.length > 1) {
        const [oldest] = waiting.splice(0, 1)
        if (oldest) bytes -= sizeOf(oldest)
        dropped += 1
      }
    },
    take: () => {
      const letters = waiting
      waiting = []
      bytes = 0
      const payloads: string[] = []
      const large: Letter[] = []
      let packed: string[] = []
      let packedBytes = 0
      const close = (): void => {
        if (packed.length > 0) payloads.push(`[${packed.join(',')}]`)
        packed = []
        packedBytes = 2
      }
      close()
      for (const letter of letters) {
        const item = `[${JSON.stringify(letter.subject)},${JSON.stringify(letter.to)},${letter.text}]`
        const itemBytes = Buffer.byteLength(item) + 1
        if (itemBytes + 2 > payloadBytes) {
          // It travels in its place: what was said before it is heard before it.
          close()
          large.push(letter)
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
