// The sockets of one kind of machine (engines, remotes): the door that refuses before the upgrade, one connection per
// machine of which the newest counts, signs of life, and bounds in bytes both ways. What the frames mean is the
// business of whoever owns the kind.
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
import { createIntake } from './intake.ts'
import { keepAlive } from './keep-alive.ts'

export const closeCodes = { refused: 1008, tooLarge: 1009, broken: 1011, restart: 1012, replaced: 4000 } as const

const restartText = 'the server is restarting'

export type Link = {
  /** A machine that does not read is given up: it dials again. */
  send(frame: object): void
  close(code: number, reason: string): void
}

/** What the owner of the kind makes of a connection. */
export type Talk<Frame> = {
  /** Counts the connections of the machine: an older one is let go, also where another server holds it. */
  number?: number
  /** `done` is called once the frame is dealt with; until then it counts against what is read. */
  receive(frame: Frame, done: () => void): void
  /** The socket is gone: waits for the last of its frames, then records it. */
  gone(): Promise<void>
}

export type MachineKind<Frame> = {
  /** `engine`, `remote`: for the log. */
  name: string
  path: `/ws/${string}/:id`
  scope: Scope
  frames: TSchema
  frameBytesLimit: number
  /** What was said and is not written down yet; past it the machine is not read. */
  heldBytesLimit: number
  /** What was sent and lies unread in our own memory. */
  unreadBytesLimit: number
  /** Every frame costs more than its bytes. */
  costOf(frame: Frame, sizeBytes: number): number
  /** The whole id of the machine; throws what it is refused with, as an ordinary HTTP error. */
  admit(actor: Member, id: string): Promise<string>
  /** Records the connection. A text refuses it: the socket is closed with that reason. */
  connect(id: string, link: Link): Promise<Talk<Frame> | string>
}

/** Who connected, and to which machine. */
type Admitted = { id: string; actor: Member }

const linkOf = (socket: WebSocket, unreadBytesLimit: number): Link => ({
  send: (frame) => {
    if (socket.readyState !== socket.OPEN) return
    socket.send(JSON.stringify(frame))
    if (socket.bufferedAmount > unreadBytesLimit) socket.terminate()
  },
  close: (code, reason) => socket.close(code, reason),
})

/** A machine was deleted, by its kind and id: whoever holds its socket looks again. */
export const machineGone = subjectOf('machine_gone', 'everyone', Type.Null())

/** How often it is looked at whether the credential has run out: that is nobody's news. */
const expiryMs = 1_000

/** A machine has connected, by its kind and id: the number of that connection. */
const takenSubject = subjectOf('machine_taken', 'everyone', Type.Integer())

export const machineSockets = <Frame>({ log, bus }: Platform, gate: HttpGate, kind: MachineKind<Frame>) => {
  const held = new Map<string, WebSocket>()
  const served = new Set<Promise<void>>()
  let isClosing = false
  const isFrame = compile<Frame>(kind.frames)

  const listen = (socket: WebSocket, id: string, talk: Talk<Frame>): void => {
    const intake = createIntake(socket, kind.heldBytesLimit)
    const broken = (error: unknown): void => {
      log.error({ err: error, [kind.name]: id }, 'a frame could not be processed; its connection ends')
      socket.close(closeCodes.broken)
    }
    const receive = (data: Buffer): void => {
      if (data.length > kind.frameBytesLimit) {
        socket.close(closeCodes.tooLarge, `a frame is at most ${kind.frameBytesLimit} bytes`)
        return
      }
      const frame = readUntrustedJson(data)
      if (!isFrame(frame)) {
        log.warn({ [kind.name]: id }, 'a machine sent a frame that is not one')
        return
      }
      talk.receive(frame, intake.take(kind.costOf(frame, data.length)))
    }
    socket.on('message', guarded(broken, receive))
  }

  const serve = async (socket: WebSocket, request: FastifyRequest, { id, actor }: Admitted): Promise<void> => {
    // What the machine says at once waits until its connection is recorded.
    socket.pause()
    // A close event always follows an error, and says all there is to say.
    socket.on('error', () => {})
    held.get(id)?.close(closeCodes.replaced, 'replaced by a newer connection')
    held.set(id, socket)
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const stopJudging = keepJudging(socket, request, { id, actor })
    const talk = await kind.connect(id, linkOf(socket, kind.unreadBytesLimit))
    const stopKeepAlive = keepAlive(socket)
    const unwatch = typeof talk === 'string' ? () => {} : watchReplaced(socket, id, talk.number)
    if (typeof talk === 'string') socket.close(closeCodes.refused, talk)
    else listen(socket, id, talk)
    socket.resume()
    await gone
    stopKeepAlive()
    stopJudging()
    unwatch()
    if (held.get(id) === socket) held.delete(id)
    if (typeof talk !== 'string') await talk.gone()
  }

  /** Says that this connection is the newest, and hears when it is not any more. */
  const watchReplaced = (socket: WebSocket, id: string, number: number | undefined): (() => void) => {
    if (number === undefined) return () => {}
    const subject = takenSubject(`${kind.name}/${id}`)
    bus.publish(subject, number)
    return bus.subscribe(subject, (newest) => {
      if (newest > number) socket.close(closeCodes.replaced, 'replaced by a newer connection')
    })
  }

  /** Whoever may not connect any more does not stay connected: a key that was revoked or has run out, a machine that is gone. */
  const keepJudging = (socket: WebSocket, request: FastifyRequest, { id, actor }: Admitted): (() => void) => {
    const judge = async (isNews: boolean): Promise<void> => {
      try {
        const caller = await gate.authenticate(request)
        if (isNews) await admit(caller, id)
      } catch (error) {
        // What could not be judged is judged again in a moment.
        if (isFailure(error) && error.status < 500) socket.close(closeCodes.refused, error.message.slice(0, 100))
        else log.warn({ err: error, [kind.name]: id }, 'whether a machine may stay connected could not be told')
      }
    }
    // A value that was rotated out has an end too, and the news of it is all that tells.
    let canRunOut = actor.expiresAtMs !== null
    const hear = (): void => {
      canRunOut = true
      void judge(true)
    }
    const unwatch = gate.watch(actor, hear)
    const unsubscribe = bus.subscribe(machineGone(`${kind.name}/${id}`), hear)
    const timer = setInterval(() => {
      if (canRunOut) void judge(false)
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
        // Refused before the upgrade, so that the machine sees an ordinary HTTP error.
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
            log.error({ err: error, [kind.name]: found.id }, 'a socket could not be served')
            socket.close(closeCodes.broken)
          })
          .finally(() => served.delete(serving))
        served.add(serving)
      },
    )
    const letGo = (): void => {
      for (const socket of held.values()) socket.close(closeCodes.restart, restartText)
    }
    const unsubscribe = bus.subscribe(leaseLostSubject, letGo)
    app.addHook('preClose', async () => {
      unsubscribe()
      isClosing = true
      letGo()
    })
    // What a machine said before it heard of it still arrives, and is written down before the database closes.
    app.addHook('onClose', async () => void (await Promise.all(served)))
  }

  return { routes }
}
