// Frames as lines of JSON over a local socket, with backpressure.
import type { Socket } from 'node:net'

/** Longer than any frame; a longer line is an error. */
const lineLimit = 2 * 1024 * 1024

export const readLines = (socket: Socket, onLine: (value: unknown) => void): void => {
  let rest = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineLimit) {
      socket.destroy()
      return
    }
    for (const line of lines) {
      let value: unknown
      try {
        value = JSON.parse(line)
      } catch {
        continue
      }
      onLine(value)
    }
  })
}

/** False if the receiver is slow; `drain` follows when it is ready. */
export const writeLine = (socket: Socket, value: unknown): boolean =>
  socket.destroyed ? false : socket.write(`${JSON.stringify(value)}\n`)
