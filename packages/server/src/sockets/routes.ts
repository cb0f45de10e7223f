// The relay's door: a token instead of a credential, in the query because browsers cannot send headers with a socket.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Platform } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { claimsOf } from './access.ts'
import { createRelay, type RelayTimes } from './relay.ts'
import * as store from './store.ts'
import { socketOver } from './subjects.ts'

type SocketRequest = FastifyRequest<{ Params: { id: string }; Querystring: { access_token?: unknown } }>

const tokenOf = ({ query, headers }: SocketRequest): string => {
  if (typeof query.access_token === 'string') return query.access_token
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
}

export const socketRelay = (platform: Platform, times?: RelayTimes) => {
  const { db, bus, log, now } = platform
  const pending = new Set<Promise<void>>()
  const record = (work: Promise<void>): void => {
    const done = work
      .catch((error: unknown) => log.error({ err: error }, 'the state of a live socket could not be recorded'))
      .finally(() => pending.delete(done))
    pending.add(done)
  }
  const relay = createRelay(
    {
      paired: (id) => record(store.markOpen(db, id, now().toISOString())),
      ended: (id, end) => record(store.markClosed(db, id, end, now().toISOString())),
    },
    times,
  )

  /** Refused before the upgrade, so that the caller sees an ordinary HTTP error. */
  const admit = async (request: SocketRequest): Promise<void> => {
    const claims = claimsOf(platform, tokenOf(request))
    if (!claims) throw fail('unauthorized', 'The token is not valid for this socket')
    const socket = await store.findSocket(db, request.params.id)
    if (!socket || socket.task_id !== claims.sub) throw fail('not_found', 'No such socket')
    if (socket.status === 'closed') throw fail('invalid_state', 'The socket is closed')
  }

  const routes = (app: FastifyInstance): void => {
    app.get<{ Params: { id: string }; Querystring: { access_token?: unknown } }>(
      '/ws/sockets/:id',
      { websocket: true, preValidation: admit },
      (socket, request) => {
        const claims = claimsOf(platform, tokenOf(request))
        if (!claims) return socket.close(1008)
        const { id } = request.params
        const unsubscribe = bus.subscribe(socketOver(id), () => relay.finish(id))
        socket.once('close', unsubscribe)
        relay.join(id, claims.role, socket)
      },
    )
    app.addHook('preClose', async () => {
      relay.close()
      await Promise.all(pending)
    })
  }
  return { routes }
}
