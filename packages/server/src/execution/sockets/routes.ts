// The WebSocket route of the relay. It accepts a token in the query, because browsers cannot send headers with a
// WebSocket.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { findAddress } from '#platform/fleet/store.ts'
import { leaseLostSubject } from '#platform/fleet/subjects.ts'
import { claimsOf } from './access.ts'
import { type Forwarded, forwardEnd, forwardedHeader } from './forward.ts'
import { closeCodes, createRelay, type RelayTimes } from './relay.ts'
import * as store from './store.ts'
import { socketOver } from './subjects.ts'
import type { SocketRole } from './tokens.ts'

type SocketRequest = FastifyRequest<{ Params: { id: string }; Querystring: { access_token?: unknown } }>

type Admitted = { id: string; role: SocketRole }

const tokenOf = ({ query, headers }: SocketRequest): string => {
  if (typeof query.access_token === 'string') return query.access_token
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
}

export const socketRelay = (platform: Platform, times?: RelayTimes) => {
  const { db, bus, log, now, server } = platform
  const forwarded = new Set<Forwarded>()
  const pending = new Set<Promise<void>>()
  const record = (work: Promise<void>): void => {
    const done = work
      .catch((error: unknown) => log.error({ err: error }, 'could not record the state of a live socket'))
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

  /**
   * The full id of the socket and the role of this end. Runs before the upgrade, so that a refusal is an ordinary HTTP
   * error.
   */
  const admit = async (request: SocketRequest): Promise<Admitted> => {
    const claims = claimsOf(platform, tokenOf(request))
    if (!claims) throw fail('unauthorized', 'The token is not valid for this socket')
    const socket = await store.findSocket(db, request.params.id)
    if (!socket || socket.task_id !== claims.sub) throw fail('not_found', 'Socket not found')
    if (socket.status === 'closed') throw fail('invalid_state', 'The socket is closed')
    return { id: socket.id, role: claims.role }
  }

  /** The address of the server that both ends use; null for this server. */
  const relayAddress = async (id: string, isForwarded: boolean): Promise<string | null> => {
    const holder = isForwarded ? server.id : await store.claimSocket(db, id, server.id)
    if (holder === server.id) return null
    const serverAddress = await findAddress(db, holder)
    return serverAddress === undefined ? null : `${serverAddress.replace(/^http/, 'ws')}/ws/sockets/${id}`
  }

  const open = async (socket: WebSocket, request: SocketRequest, { id, role }: Admitted): Promise<void> => {
    socket.pause()
    const address = await relayAddress(id, request.headers[forwardedHeader] !== undefined)
    socket.resume()
    if (address !== null) {
      const end = forwardEnd(socket, address, tokenOf(request))
      forwarded.add(end)
      socket.once('close', () => forwarded.delete(end))
      return
    }
    const finishIfOver = async (): Promise<void> => {
      if ((await store.findSocket(db, id))?.status === 'closed') relay.finish(id)
    }
    const unsubscribe = bus.subscribe(socketOver(id), () => relay.finish(id), {
      // The notification that the task has ended may have been lost.
      onQuiet: () => {
        finishIfOver().catch((error: unknown) => log.warn({ err: error }, 'could not query a live socket'))
      },
    })
    socket.once('close', unsubscribe)
    relay.join(id, role, socket)
  }

  let isClosing = false
  const closeAll = (): void => {
    relay.close()
    for (const end of forwarded) end.end()
  }

  const routes = (app: FastifyInstance): void => {
    const unsubscribe = bus.subscribe(leaseLostSubject, closeAll)
    const admitted = new WeakMap<FastifyRequest, Admitted>()
    app.get<{ Params: { id: string }; Querystring: { access_token?: unknown } }>(
      '/ws/sockets/:id',
      {
        websocket: true,
        preValidation: async (request) => {
          admitted.set(request, await admit(request))
        },
      },
      (socket, request) => {
        const found = admitted.get(request)
        if (!found) return socket.close(closeCodes.refused)
        if (isClosing) return socket.close(closeCodes.restart, 'the server is restarting')
        open(socket, request, found).catch((error: unknown) => {
          log.error({ err: error }, 'could not open a live socket')
          socket.close(1011)
        })
      },
    )
    app.addHook('preClose', async () => {
      unsubscribe()
      isClosing = true
      closeAll()
    })
    app.addHook('onClose', async () => void (await Promise.all(pending)))
  }
  return { routes }
}
