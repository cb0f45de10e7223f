// Detects disconnected clients. A response emits `close` only once, so code that starts to listen later would never
// learn that the client is gone.
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Calls back when the response has ended or the client has disconnected; at once if that has already happened. */
export const whenClosed = ({ raw }: FastifyReply, onClosed: () => void): void => {
  if (raw.closed) onClosed()
  else raw.once('close', onClosed)
}

/** Authentication is asynchronous: a client that disconnects meanwhile is not processed further. */
export const endForDisconnectedClients = (app: FastifyInstance): void => {
  app.addHook('preParsing', (_request, reply, _payload, done) => {
    if (reply.raw.closed) reply.hijack()
    done()
  })
}
