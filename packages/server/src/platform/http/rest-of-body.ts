// Delays a response until the client has sent its body. Closing the connection earlier would lose the response, and the
// client would see a broken connection instead of the reason. The rest of the body is discarded, within limits.
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
