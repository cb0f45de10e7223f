// Sockets of one kind of machine (engines, remotes): refusal before the upgrade, one connection per machine (the
// newest), heartbeats, and limits in bytes for both directions. The owner of the kind defines the frames.
import type { Duplex } from 'node:stream'
import { readUntrustedJson } from '@millrace/contract/parse-untrusted'
import { refuseScope, type Scope } from '@millrace/contract/scopes'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import type { WebSocket } from 'ws'
import { type Actor, isMember, type Member } from '../core/actor.ts'
import { guarded } from '../core/boundary.ts'
import type { Platform } from '../core/ctx.ts'
import { fail, isFailure } from '../core/errors.ts'
import { subjectOf } from '../core/subject.ts'
import { compile } from '../core/validate.ts'
import { leaseLostSubject } from '../fleet/subjects.ts'
import type { HttpGate } from '../http/mount.ts'
import { createSocketIntake } from './intake.ts'
import { keepAlive } from './keep-alive.ts'

export const closeCodes = { refused: 1008, tooLarge: 1009, broken: 1011, restart: 1012, replaced: 4000 } as const

const restartText = 'the server is restarting'

export type MachineLink = {
  /** A machine that does not read is disconnected and reconnects. */
  send(frame: object): void
  close(code: number, reason: string): void
}

/** The handler of a connection. */
export type MachineConnection<Frame> = {
  /** Number of the machine's connection: an older one is closed, also on another server. */
  number?: number
  /** `done` is called when the frame was processed; until then it counts against the limit. */
  receive(frame: Frame, done: () => void): void
  /** The socket is closed: waits for the last frames, then records the disconnect. */
  gone(): Promise<void>
}

export type MachineKind<Frame> = {
  /** `engine` or `remote`, for the log. */
  name: string
  path: `/ws/${string}/:id`
  scope: Scope
  frames: TSchema
  frameBytesLimit: number
  /** Limit of unprocessed bytes; above it, the socket is not read. */
  maxUnprocessedBytes: number
  /** Limit of sent bytes that the machine has not read. */
  unreadBytesLimit: number
  /** Counted size of a frame, which is more than its bytes. */
  costOf(frame: Frame, sizeBytes: number): number
  /** Returns the full id of the machine, or throws a refusal that becomes an HTTP error. */
  admit(actor: Member, id: string): Promise<string>
  /** Records the connection. Returns a text to refuse it: the socket is closed with that reason. */
  connect(id: string, link: MachineLink): Promise<MachineConnection<Frame> | string>
}

/** The authenticated actor and the machine. */
type Admitted = { id: string; actor: Member }

/** `carrier` is the stream below the WebSocket: all frames of one turn of the event loop leave in one write. */
const linkOf = (socket: WebSocket, carrier: Duplex, unreadBytesLimit: number): MachineLink => {
  let isCorked = false
  const cork = (): void => {
    if (isCorked) return
    isCorked = true
    carrier.cork()
    setImmediate(() => {
      isCorked = false
      carrier.uncork()
    })
  }
  return {
    send: (frame) => {
      if (socket.readyState !== socket.OPEN) return
      cork()
      socket.send(JSON.stringify(frame))
      if (socket.bufferedAmount > unreadBytesLimit) socket.terminate()
    },
    close: (code, reason) => socket.close(code, reason),
  }
}

/** A machine was deleted or transferred, by kind and id: the holder of its socket checks again. */
export const machineGone = subjectOf('machine_gone', 'everyone', Type.Null())

/** Shorter pauses are collected. */
const minPauseMs = 5

/** Interval of the check whether the credential has expired, because expiry causes no event. */
const expiryMs = 1_000

/** A machine has connected, by kind and id; contains the number of that connection. */
const takenSubject = subjectOf('machine_taken', 'everyone', Type.Integer())

export const machineSockets = <Frame>({ log, bus }: Platform, gate: HttpGate, kind: MachineKind<Frame>) => {
  const sockets = new Map<string, WebSocket>()
  const served = new Set<Promise<void>>()
  let isClosing = false
  const isFrame = compile<Frame>(kind.frames)

  const listen = (socket: WebSocket, { id, actor }: Admitted, connection: MachineConnection<Frame>): void => {
    const intake = createSocketIntake(socket, kind.maxUnprocessedBytes)
    let owedMs = 0
    /** Stops reading the socket of a workspace that floods a busy server. */
    const charge = (spentMs: number): void => {
      owedMs += gate.charge(actor, spentMs)
      if (owedMs < minPauseMs) return
      setTimeout(intake.take(kind.maxUnprocessedBytes + 1), owedMs).unref()
      owedMs = 0
    }
    const broken = (error: unknown): void => {
      log.error({ err: error, [kind.name]: id }, 'could not process a frame; closing its connection')
      socket.close(closeCodes.broken)
    }
    const receive = (data: Buffer): void => {
      const startedMs = performance.now()
      if (data.length > kind.frameBytesLimit) {
        socket.close(closeCodes.tooLarge, `a frame can have at most ${kind.frameBytesLimit} bytes`)
        return
      }
      const frame = readUntrustedJson(data)
      if (!isFrame(frame)) {
        log.warn({ [kind.name]: id }, 'a machine sent an invalid frame')
        return
      }
      connection.receive(frame, intake.take(kind.costOf(frame, data.length)))
      charge(performance.now() - startedMs)
    }
    socket.on('message', guarded(broken, receive))
  }

  const serve = async (socket: WebSocket, request: FastifyRequest, { id, actor }: Admitted): Promise<void> => {
    // Frames sent at once must wait until the connection is recorded.
    socket.pause()
    // A close event with the reason always follows an error.
    socket.on('error', () => {})
    sockets.get(id)?.close(closeCodes.replaced, 'replaced by a newer connection')
    sockets.set(id, socket)
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const stopWatchingAccess = watchAccess(socket, request, { id, actor })
    const connection = await kind.connect(id, linkOf(socket, request.raw.socket, kind.unreadBytesLimit))
    const stopKeepAlive = keepAlive(socket)
    const unwatch = typeof connection === 'string' ? () => {} : watchReplaced(socket, id, connection.number)
    if (typeof connection === 'string') socket.close(closeCodes.refused, connection)
    else listen(socket, { id, actor }, connection)
    socket.resume()
    await gone
    stopKeepAlive()
    stopWatchingAccess()
    unwatch()
    if (sockets.get(id) === socket) sockets.delete(id)
    if (typeof connection !== 'string') await connection.gone()
  }

  /** Announces this connection as the newest, and closes it when a newer one is announced. */
  const watchReplaced = (socket: WebSocket, id: string, number: number | undefined): (() => void) => {
    if (number === undefined) return () => {}
    const subject = takenSubject(`${kind.name}/${id}`)
    bus.publish(subject, number)
    return bus.subscribe(subject, (newest) => {
      if (newest > number) socket.close(closeCodes.replaced, 'replaced by a newer connection')
    })
  }

  /**
   * Closes the connection when it is no longer permitted: the key was revoked or expired, or the machine was deleted.
   */
  const watchAccess = (socket: WebSocket, request: FastifyRequest, { id, actor }: Admitted): (() => void) => {
    const checkAccess = async (isUpdate: boolean): Promise<void> => {
      try {
        const caller = await gate.authenticate(request)
        if (isUpdate) await admit(caller, id)
      } catch (error) {
        // If the check fails, it is repeated later.
        if (isFailure(error) && error.status < 500) socket.close(closeCodes.refused, error.message.slice(0, 100))
        else log.warn({ err: error, [kind.name]: id }, 'could not check whether a machine may stay connected')
      }
    }
    // A rotated key expires, too, and only its revocation event shows it.
    let canRunOut = actor.expiresAtMs !== null
    const onUpdate = (): void => {
      canRunOut = true
      void checkAccess(true)
    }
    const unwatch = gate.watch(actor, onUpdate)
    const unsubscribe = bus.subscribe(machineGone(`${kind.name}/${id}`), onUpdate)
    const timer = setInterval(() => {
      if (canRunOut) void checkAccess(false)
    }, expiryMs)
    return () => {
      unwatch()
      unsubscribe()
      clearInterval(timer)
    }
  }

  const admit = async (actor: Actor, id: string): Promise<Admitted> => {
    if (!isMember(actor)) throw fail('unauthorized')
    const refusal = refuseScope(actor.grant, kind.scope, actor)
    if (refusal) throw fail(refusal.code, refusal.detail)
    return { id: await kind.admit(actor, id), actor }
  }

  const routes = (app: FastifyInstance): void => {
    const admitted = new WeakMap<FastifyRequest, Admitted>()
    app.get<{ Params: { id: string } }>(
      kind.path,
      {
        websocket: true,
        // Refused before the upgrade, so that the machine gets an ordinary HTTP error.
        preValidation: async (request) => {
          admitted.set(request, await admit(await gate.authenticate(request), request.params.id))
        },
      },
      (socket, request) => {
        const found = admitted.get(request)
        if (!found) return socket.close(closeCodes.refused)
        if (isClosing) return socket.close(closeCodes.restart, restartText)
        const serving = serve(socket, request, found)
          .catch((error: unknown) => {
            log.error({ err: error, [kind.name]: found.id }, 'could not serve a socket')
            socket.close(closeCodes.broken)
          })
          .finally(() => served.delete(serving))
        served.add(serving)
      },
    )
    const letGo = (): void => {
      for (const socket of sockets.values()) socket.close(closeCodes.restart, restartText)
    }
    const unsubscribe = bus.subscribe(leaseLostSubject, letGo)
    app.addHook('preClose', async () => {
      unsubscribe()
      isClosing = true
      letGo()
    })
    // Frames sent before the machine noticed the stop are stored before the database closes.
    app.addHook('onClose', async () => void (await Promise.all(served)))
  }

  return { routes }
}
