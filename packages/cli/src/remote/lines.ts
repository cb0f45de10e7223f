// Frames as lines of JSON over a local socket, read no faster than they are taken.
import type { Socket } from 'node:net'

/** More than a frame may be: what is longer is no frame. */
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

/** False when the other side is slow; it then tells by `drain` when it goes on. */
export const writeLine = (socket: Socket, value: unknown): boolean =>
  socket.destroyed ? false : socket.write(`${JSON.stringify(value)}\n`)
