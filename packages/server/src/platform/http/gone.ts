// Who has left. An answer says so once: whoever begins to listen afterwards, because it waited for something else, would wait for
// ever and do the work for nobody.
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Tells when the caller has been answered or has left; at once where that was before anybody asked. */
export const whenClosed = ({ raw }: FastifyReply, tell: () => void): void => {
  if (raw.closed) tell()
  else raw.once('close', tell)
}

/** Finding out who calls takes a while: for whoever leaves meanwhile nothing is read, counted or done. */
export const endForWhoHasLeft = (app: FastifyInstance): void => {
  app.addHook('preParsing', (_request, reply, _payload, done) => {
    if (reply.raw.closed) reply.hijack()
    done()
  })
}
