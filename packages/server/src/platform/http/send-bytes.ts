// Sends a stream of bytes as the body of an answer and frees each chunk once it is in the kernel's hands. Left to the
// collector, dead chunks pile up outside of the heap and each clearing costs a look at all of it: half of the time that
// a download takes.
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'

/** The chunks must be the stream's own: nobody else may read them afterwards. Status and headers are set before. */
export const sendBytes = async (reply: FastifyReply, body: Readable): Promise<FastifyReply> => {
  const { raw } = reply
  reply.hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>)
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      raw.write(chunk, (error) => {
        release(chunk)
        done(error)
      })
    },
  })
  // A reader that goes away takes the stream behind it along.
  raw.once('close', () => sink.destroy())
  try {
    await pipeline(body, sink)
    raw.end()
  } catch (error) {
    if (!raw.destroyed) reply.log.error({ err: error }, 'an answer broke off')
    raw.destroy()
  }
  return reply
}

/** Only memory that is the chunk's alone: small buffers share theirs with strangers. */
const release = ({ buffer, byteLength }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
