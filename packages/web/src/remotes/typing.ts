// Sends typed input in order, one request at a time. Input during a request waits and is sent together.

/** The maximum size that the server accepts per request. */
const maxBytes = 48 * 1024

const base64Of = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

export const createTyping = (send: (data: string) => Promise<unknown>, onError: (error: unknown) => void) => {
  const encoder = new TextEncoder()
  let waiting: number[] = []
  let busy = false
  const drain = async (): Promise<void> => {
    busy = true
    try {
      while (waiting.length > 0) {
        const next = Uint8Array.from(waiting.slice(0, maxBytes))
        waiting = waiting.slice(maxBytes)
        await send(base64Of(next))
      }
    } catch (error) {
      waiting = []
      onError(error)
    } finally {
      busy = false
    }
  }
  return (text: string): void => {
    for (const byte of encoder.encode(text)) waiting.push(byte)
    if (!busy) void drain()
  }
}
