// The engine socket: heartbeats in, frames in both directions. The transport is in `ws/`, and the meaning of the frames
// is in frames.ts and presence.ts.
import { EngineToServer } from '@millrace/contract/engine-frames'
import { engineRightsOf } from '#accounts/access/service.ts'
import { resendUnaccepted, sendPlaced } from '#execution/dispatch/service.ts'
import { engineFrames, publishDelta } from '#execution/tasks/service.ts'
import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { HttpGate } from '#platform/http/mount.ts'
import { type MachineConnection, type MachineLink, machineSockets } from '#platform/ws/machine-sockets.ts'
import { connectionsOf } from './connections.ts'
import { createFrameQueue, type FrameQueue } from './frame-queue.ts'
import { createFrameWork, readOutput } from './frames.ts'
import { createOutgoing, type Outgoing } from './outgoing.ts'
import { connectEngine, disconnectEngine, engineHeartbeat } from './presence.ts'
import { assertMayRun, servesAllError } from './register.ts'
import { repeatMissed } from './repeat-orders.ts'
import * as store from './store.ts'
import { engineTelemetry } from './telemetry.ts'

const maxUnprocessedBytes = 8 * 1024 * 1024
const unreadBytesLimit = 128 * 1024 * 1024
/** Logs and outputs are not split. */
const frameBytesLimit = 128 * 1024 * 1024
const minFrameBytes = 1024
/**
 * Minimum size for which a report counts against the buffer: each heartbeat or telemetry frame costs several
 * statements.
 */
const minReportBytes = maxUnprocessedBytes / 4

const isReport = ({ type }: EngineToServer): boolean => type === 'engine_heartbeat' || type === 'engine_telemetry'

export const engineSockets = (platform: Platform, gate: HttpGate) => {
  const { bus, log } = platform
  const ctx = () => createCtx(platform, system)

  /** Transfers frames in both directions until the socket closes. */
  const serveConnection = async (
    engineId: string,
    link: MachineLink,
    connection: number,
  ): Promise<MachineConnection<EngineToServer>> => {
    const outgoing = createOutgoing(link.send)
    for (const task of await store.liveTasksOf(platform.db, { engineId }))
      if (task.accepted_at !== null) outgoing.adopt(task.id, task.attempt)
    const unsubscribe = bus.subscribe(engineFrames(engineId), outgoing.send)
    const placed = sendPlaced(platform, engineId)
    const connections = connectionsOf(platform)
    const own = { number: connection, sinceMs: performance.now(), outgoing, close: link.close }
    connections.set(engineId, own)
    const frames = createFrameQueue({
      now: platform.now,
      apply: createFrameWork({ engineId, ctx, answer: link.send }),
      onError: (error, { type, data }) =>
        log.error({ err: error, engine: engineId, frame: type, task: data.task_id }, 'could not apply a frame'),
    })
    await bus.settled()
    resendUnaccepted(platform, engineId)
      // Frames that were sent while no server held its socket.
      .then(() => repeatMissed(ctx(), engineId))
      .catch((error: unknown) => log.error({ err: error, engine: engineId }, 'could not repeat frames to an engine'))
    return {
      number: connection,
      receive: (frame, done) => receive(frame, { engineId, outgoing, frames, send: link.send, done }),
      gone: async () => {
        // A frame in preparation may wait for a token and must not delay the disconnection.
        const sent = placed.stop()
        unsubscribe()
        if (connections.get(engineId) === own) connections.delete(engineId)
        await frames.idle()
        await disconnectEngine(ctx(), engineId, connection)
        await sent
      },
    }
  }

  type Incoming = {
    engineId: string
    outgoing: Outgoing
    frames: FrameQueue
    send: MachineLink['send']
    done: () => void
  }

  const receive = (frame: EngineToServer, { engineId, outgoing, frames, send, done }: Incoming): void => {
    const report = (applied: Promise<void>): void => {
      applied
        .catch((error: unknown) => log.error({ err: error, engine: engineId }, 'could not apply a report of an engine'))
        .finally(done)
    }
    if (frame.type === 'engine_heartbeat') {
      report(engineHeartbeat(ctx(), engineId, frame.data))
      return
    }
    if (frame.type === 'engine_telemetry') {
      report(engineTelemetry(ctx(), engineId, frame.data, send))
      return
    }
    const { task_id: taskId } = frame.data
    const given = outgoing.attemptOf(taskId)
    const attempt = frame.data.attempt ?? given
    // A delta changes no row, so no statement fences it: it is published immediately if the attempt belongs to this
    // connection.
    if (frame.type === 'task_progress' && frame.data.is_delta && given !== undefined && attempt === given) {
      publishDelta(ctx(), taskId, frame.data.seq ?? 1, readOutput(frame.data.output))
      done()
      return
    }
    if (frame.type === 'task_completed' || frame.type === 'task_failed' || frame.type === 'task_cancelled')
      outgoing.forget(taskId)
    frames.push(frame, done)
  }

  return machineSockets<EngineToServer>(platform, gate, {
    name: 'engine',
    path: '/ws/engines/:id',
    scope: 'engines:write',
    frames: EngineToServer,
    frameBytesLimit,
    maxUnprocessedBytes,
    unreadBytesLimit,
    costOf: (frame, sizeBytes) => Math.max(sizeBytes, isReport(frame) ? minReportBytes : minFrameBytes),
    admit: async (actor, id) => {
      const engine = await store.findEngine(platform.db, id)
      if (!engine || engine.team_id !== actor.teamId) throw fail('not_found', 'Engine not found')
      const caller = createCtx(platform, actor)
      const rights = await engineRightsOf(caller)
      rights.assertMayBe(engine.id)
      await assertMayRun(caller, engine, rights)
      if (engine.infra === 'cloud' && !rights.servesAll) throw fail('forbidden', servesAllError)
      return engine.id
    },
    connect: async (engineId, link) => {
      const connection = await connectEngine(ctx(), engineId)
      return connection === null
        ? 'the engine is stopped; register it again'
        : serveConnection(engineId, link, connection)
    },
  })
}
