// The engine socket: heartbeats in, frames both ways. This file knows what is carried; how is in `ws/`, what the frames
// mean is in frames.ts and presence.ts.
import { EngineToServer } from '@millrace/contract/engine-frames'
import { engineRightsOf } from '#accounts/access/service.ts'
import { resendUnaccepted, sendPlaced } from '#execution/dispatch/service.ts'
import { engineFrames, publishDelta } from '#execution/tasks/service.ts'
import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { HttpGate } from '#platform/http/mount.ts'
import { type Link, machineSockets, type Talk } from '#platform/ws/machine-sockets.ts'
import { createFrameQueue, type FrameQueue } from './frame-queue.ts'
import { createFrameWork, readOutput } from './frames.ts'
import { linesOf } from './lines.ts'
import { createOutgoing, type Outgoing } from './outgoing.ts'
import { connectEngine, disconnectEngine, engineHeartbeat } from './presence.ts'
import { assertMayRun, servesAllText } from './register.ts'
import { repeatMissed } from './repeat.ts'
import * as store from './store.ts'
import { engineTelemetry } from './telemetry.ts'

const heldBytesLimit = 8 * 1024 * 1024
const unreadBytesLimit = 128 * 1024 * 1024
/** Logs and outputs travel whole. */
const frameBytesLimit = 128 * 1024 * 1024
const leastFrameBytes = 1024
/** Heartbeats and telemetry cost whole rounds of statements. */
const leastReportBytes = heldBytesLimit / 4

const isReport = ({ type }: EngineToServer): boolean => type === 'engine_heartbeat' || type === 'engine_telemetry'

export const engineSockets = (platform: Platform, gate: HttpGate) => {
  const { bus, log } = platform
  const ctx = () => createCtx(platform, system)

  /** Carries frames both ways until the socket is gone. */
  const talk = async (engineId: string, link: Link, connection: number): Promise<Talk<EngineToServer>> => {
    const outgoing = createOutgoing(link.send)
    for (const task of await store.liveTasksOf(platform.db, { engineId }))
      if (task.accepted_at !== null) outgoing.adopt(task.id, task.attempt)
    const unsubscribe = bus.subscribe(engineFrames(engineId), outgoing.send)
    const placed = sendPlaced(platform, engineId)
    const lines = linesOf(platform)
    const line = { connection, sinceMs: performance.now(), outgoing, close: link.close }
    lines.set(engineId, line)
    const frames = createFrameQueue({
      now: platform.now,
      apply: createFrameWork({ engineId, ctx, answer: link.send }),
      onError: (error, { type, data }) =>
        log.error({ err: error, engine: engineId, frame: type, task: data.task_id }, 'a frame could not be applied'),
    })
    await bus.settled()
    resendUnaccepted(platform, engineId)
      // What was said while nobody held its socket.
      .then(() => repeatMissed(ctx(), engineId))
      .catch((error: unknown) => log.error({ err: error, engine: engineId }, 'an engine could not be told again'))
    return {
      number: connection,
      receive: (frame, done) => receive(frame, { engineId, outgoing, frames, send: link.send, done }),
      gone: async () => {
        // What is being sent may wait for somebody's token, which must not keep anyone from hearing that the engine is gone.
        const sent = placed.stop()
        unsubscribe()
        if (lines.get(engineId) === line) lines.delete(engineId)
        await frames.idle()
        await disconnectEngine(ctx(), engineId, connection)
        await sent
      },
    }
  }

  type Heard = {
    engineId: string
    outgoing: Outgoing
    frames: FrameQueue
    send: Link['send']
    done: () => void
  }

  const receive = (frame: EngineToServer, { engineId, outgoing, frames, send, done }: Heard): void => {
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
      report(engineTelemetry(ctx(), engineId, frame.data, send))
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

  return machineSockets<EngineToServer>(platform, gate, {
    name: 'engine',
    path: '/ws/engines/:id',
    scope: 'engines:write',
    frames: EngineToServer,
    frameBytesLimit,
    heldBytesLimit,
    unreadBytesLimit,
    costOf: (frame, sizeBytes) => Math.max(sizeBytes, isReport(frame) ? leastReportBytes : leastFrameBytes),
    admit: async (actor, id) => {
      const engine = await store.findEngine(platform.db, id)
      if (!engine || engine.team_id !== actor.teamId) throw fail('not_found', 'Engine not found')
      const caller = createCtx(platform, actor)
      const rights = await engineRightsOf(caller)
      rights.assertMayBe(engine.id)
      await assertMayRun(caller, engine, rights)
      if (engine.infra === 'cloud' && !rights.servesAll) throw fail('forbidden', servesAllText)
      return engine.id
    },
    connect: async (engineId, link) => {
      const connection = await connectEngine(ctx(), engineId)
      return connection === null ? 'the engine is stopped; register it again' : talk(engineId, link, connection)
    },
  })
}
