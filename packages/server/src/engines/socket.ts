// The engine socket: one per engine, authenticated like any request, heartbeats in, frames both ways. This file knows
// the socket; what the frames mean is in frames.ts and presence.ts.
import { EngineToServer } from '@millrace/contract/engine-frames'
import { refuseScope } from '@millrace/contract/scopes'
import type { FastifyInstance } from 'fastify'
import type { WebSocket } from 'ws'
import { guest, isMember } from '../core/actor.ts'
import { createCtx, type Platform } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { Gate } from '../http/mount.ts'
import { compile } from '../http/validate.ts'
import { engineFrames } from '../tasks/service.ts'
import { createFrameQueue } from './frames.ts'
import { connectEngine, disconnectEngine, engineHeartbeat, engineTelemetry } from './presence.ts'
import * as store from './store.ts'

const pingMs = 20_000
const silenceMs = 60_000
const replacedCode = 4000

export const engineSockets = (platform: Platform, gate: Gate) => {
  const held = new Map<string, WebSocket>()
  const isFrame = compile<EngineToServer>(EngineToServer)
  const { bus, log } = platform
  const ctx = () => createCtx(platform, guest)

  const serve = async (socket: WebSocket, engineId: string): Promise<void> => {
    held.get(engineId)?.close(replacedCode, 'replaced by a newer connection')
    held.set(engineId, socket)
    const connection = await connectEngine(ctx(), engineId)
    if (!connection) {
      socket.close(1008, 'the engine is stopped; register it again')
      return
    }
    const send = (frame: object): void => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
    }
    const unsubscribe = bus.subscribe(engineFrames(engineId), (frame) => send(frame as object))
    const frames = createFrameQueue(ctx, send, (error, frame) =>
      log.error(
        { err: error, engine: engineId, frame: frame.type, task: frame.data.task_id },
        'a frame could not be applied',
      ),
    )
    let heardAt = Date.now()
    const timer = setInterval(() => {
      if (Date.now() - heardAt > silenceMs) socket.close(1001, 'silent for too long')
      else socket.ping()
    }, pingMs)
    const heard = () => {
      heardAt = Date.now()
    }
    socket.on('pong', heard)
    socket.on('message', (data: Buffer) => {
      heard()
      const frame = parseFrame(data.toString())
      if (!isFrame(frame)) {
        log.warn({ engine: engineId }, 'an engine sent a frame that is not one')
        return
      }
      if (frame.type === 'engine_heartbeat' || frame.type === 'engine_telemetry') {
        const apply =
          frame.type === 'engine_heartbeat'
            ? engineHeartbeat(ctx(), engineId, frame.data)
            : engineTelemetry(ctx(), engineId, frame.data, send)
        apply.catch((error: unknown) =>
          log.error({ err: error, engine: engineId }, 'a report of an engine could not be applied'),
        )
      } else frames.push(frame)
    })
    socket.on('close', () => {
      clearInterval(timer)
      unsubscribe()
      if (held.get(engineId) === socket) held.delete(engineId)
      frames
        .idle()
        .then(() => disconnectEngine(ctx(), engineId, connection))
        .catch((error: unknown) => log.error({ err: error, engine: engineId }, 'a disconnect could not be recorded'))
    })
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
