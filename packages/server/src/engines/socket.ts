// The engine socket: one per engine, authenticated like any request, heartbeats in, frames both ways. This file knows
// the socket; what the frames mean is in frames.ts and presence.ts.
import { EngineToServer, type ServerToEngine } from '@millrace/contract/engine-frames'
import { refuseScope } from '@millrace/contract/scopes'
import type { FastifyInstance } from 'fastify'
import type { WebSocket } from 'ws'
import { engineRightsOf } from '../access/service.ts'
import { guest, isMember } from '../core/actor.ts'
import { createCtx, type Platform } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { compile } from '../core/validate.ts'
import { resendUnaccepted } from '../dispatch/service.ts'
import { keepAlive } from '../http/keep-alive.ts'
import type { HttpGate } from '../http/mount.ts'
import { engineFrames, publishDelta } from '../tasks/service.ts'
import { createIntake } from '../ws/intake.ts'
import { createFrameQueue, type FrameQueue } from './frame-queue.ts'
import { createFrameWork, readOutput } from './frames.ts'
import { createOutgoing, type Outgoing } from './outgoing.ts'
import { connectEngine, disconnectEngine, engineHeartbeat, engineTelemetry } from './presence.ts'
import { servesAllText } from './register.ts'
import * as store from './store.ts'

const replacedCode = 4000
/** What an engine said and is not written down yet; past it the engine is not read. */
const heldBytesLimit = 8 * 1024 * 1024
/** What was sent to an engine and lies unread in our own memory. */
const unreadBytesLimit = 128 * 1024 * 1024
/** Every frame costs more than its bytes; heartbeats and telemetry cost whole rounds of statements. */
const leastFrameBytes = 1024
const leastReportBytes = heldBytesLimit / 4
const stoppedCode = 1008

export const engineSockets = (platform: Platform, gate: HttpGate) => {
  const held = new Map<string, WebSocket>()
  const isFrame = compile<EngineToServer>(EngineToServer)
  const { bus, log } = platform
  const ctx = () => createCtx(platform, guest)

  const serve = async (socket: WebSocket, engineId: string): Promise<void> => {
    // What the engine says at once waits until its connection is recorded.
    socket.pause()
    held.get(engineId)?.close(replacedCode, 'replaced by a newer connection')
    held.set(engineId, socket)
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const connection = await connectEngine(ctx(), engineId)
    const unwatch = connection === null ? null : await talk(socket, engineId)
    if (connection === null) socket.close(stoppedCode, 'the engine is stopped; register it again')
    socket.resume()
    await gone
    if (held.get(engineId) === socket) held.delete(engineId)
    await unwatch?.()
    if (connection !== null) await disconnectEngine(ctx(), engineId, connection)
  }

  /** Carries frames both ways until the socket is gone; then what this returns waits for the last of them. */
  const talk = async (socket: WebSocket, engineId: string): Promise<() => Promise<void>> => {
    const write = (frame: object): void => {
      if (socket.readyState !== socket.OPEN) return
      socket.send(JSON.stringify(frame))
      // One that does not read is given up: it dials again, and what it had not accepted is sent again.
      if (socket.bufferedAmount > unreadBytesLimit) socket.terminate()
    }
    const outgoing = createOutgoing(write)
    for (const task of await store.liveTasksOf(platform.db, { engineId }))
      if (task.accepted_at !== null) outgoing.adopt(task.id, task.attempt)
    const unsubscribe = bus.subscribe(engineFrames(engineId), (frame) => outgoing.send(frame as ServerToEngine))
    const frames = createFrameQueue({
      now: platform.now,
      apply: createFrameWork({ engineId, ctx, answer: write }),
      onError: (error, { type, data }) =>
        log.error({ err: error, engine: engineId, frame: type, task: data.task_id }, 'a frame could not be applied'),
    })
    const intake = createIntake(socket, heldBytesLimit)
    const stopKeepAlive = keepAlive(socket)
    socket.on('message', (data: Buffer) => {
      const frame = parseFrame(data.toString())
      if (!isFrame(frame)) {
        log.warn({ engine: engineId }, 'an engine sent a frame that is not one')
        return
      }
      const isReport = frame.type === 'engine_heartbeat' || frame.type === 'engine_telemetry'
      const done = intake.take(Math.max(data.length, isReport ? leastReportBytes : leastFrameBytes))
      receive(frame, { engineId, outgoing, frames, write, done })
    })
    resendUnaccepted(platform, engineId).catch((error: unknown) =>
      log.error({ err: error, engine: engineId }, 'tasks could not be sent again'),
    )
    return async () => {
      stopKeepAlive()
      unsubscribe()
      await frames.idle()
    }
  }

  type Link = {
    engineId: string
    outgoing: Outgoing
    frames: FrameQueue
    write: (frame: object) => void
    done: () => void
  }

  const receive = (frame: EngineToServer, { engineId, outgoing, frames, write, done }: Link): void => {
    const report = (applied: Promise<void>): void => {
      applied
        .catch((error: unknown) =>
          log.error({ err: error, engine: engineId }, 'a report of an engine could not be applied'),
        )
        .finally(done)
    }
    if (frame.type === 'engine_heartbeat') {
      report(engineHeartbeat(ctx(), engineId, frame.data))
      return
    }
    if (frame.type === 'engine_telemetry') {
      report(engineTelemetry(ctx(), engineId, frame.data, write))
      return
    }
    const { task_id: taskId } = frame.data
    const given = outgoing.attemptOf(taskId)
    const attempt = frame.data.attempt ?? given
    // A delta changes no row, so no statement fences it: it goes out at once when the attempt is this connection's.
    if (frame.type === 'task_progress' && frame.data.is_delta && given !== undefined && attempt === given) {
      publishDelta(ctx(), taskId, frame.data.seq ?? 1, readOutput(frame.data.output))
      done()
      return
    }
    if (frame.type === 'task_completed' || frame.type === 'task_failed' || frame.type === 'task_cancelled')
      outgoing.forget(taskId)
    frames.push(frame, done)
  }

  const routes = (app: FastifyInstance): void => {
    app.get<{ Params: { id: string } }>(
      '/ws/engines/:id',
      {
        websocket: true,
        // Refused before the upgrade, so that the engine sees an ordinary HTTP error.
        preValidation: async (request) => {
          const actor = await gate.authenticate(request)
          if (!isMember(actor)) throw fail('unauthorized')
          const refusal = refuseScope(actor.grant, 'engines:write', actor)
          if (refusal) throw fail(refusal.code, refusal.detail)
          const engine = await store.findEngine(platform.db, request.params.id)
          if (!engine || engine.team_id !== actor.teamId) throw fail('not_found', 'There is no such engine')
          const rights = await engineRightsOf(createCtx(platform, actor))
          rights.assertMayBe(engine.id)
          if (engine.infra === 'cloud' && !rights.servesAll) throw fail('forbidden', servesAllText)
        },
      },
      (socket, request) => {
        serve(socket, request.params.id).catch((error: unknown) => {
          log.error({ err: error }, 'an engine socket could not be served')
          socket.close(1011)
        })
      },
    )
  }

  return {
    routes,
    close: () => {
      for (const socket of held.values()) socket.close(1012, 'the server is restarting')
    },
  }
}

const parseFrame = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
