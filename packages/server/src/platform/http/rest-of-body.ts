// An answer to a caller that is still sending: closing the connection under it would destroy the answer on its way, and
// the caller would see a broken connection instead of the reason. So the rest is read and thrown away first, within bounds.
import type { IncomingMessage } from 'node:http'

const maxDroppedBytes = 64 * 1024 * 1024
const maxWaitMs = 10_000

export const afterRestOfBody = (request: IncomingMessage, answer: () => void): void => {
  if (request.readableEnded || request.destroyed) {
    answer()
    return
  }
  let leftBytes = maxDroppedBytes
  const drop = (chunk: Buffer | string): void => {
    leftBytes -= chunk.length
    if (leftBytes < 0) finish()
  }
  const finish = (): void => {
    clearTimeout(timer)
    request.off('data', drop).off('end', finish).off('close', finish)
    answer()
  }
  const timer = setTimeout(finish, maxWaitMs)
  request.on('data', drop).once('end', finish).once('close', finish)
  request.resume()
}
