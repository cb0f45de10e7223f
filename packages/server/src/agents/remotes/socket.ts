// The remote's socket: sends commands and receives output. This file knows what is sent; `ws/` knows how, and frames.ts
// handles frames about commands. All state is in the database.
import { frameBytesLimit, RemoteToServer, type ServerToRemote } from '@millrace/contract/remote-frames'
import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { toStorable } from '#platform/core/storable.ts'
import type { HttpGate } from '#platform/http/mount.ts'
import { closeCodes, type MachineConnection, type MachineLink, machineSockets } from '#platform/ws/machine-sockets.ts'
import * as execs from './exec-store.ts'
import { openEnv } from './execs.ts'
import { createFrameQueue } from './frame-queue.ts'
import { applyFrames, type ExecFrame } from './frames.ts'
import { findOwn } from './lookup.ts'
import * as output from './output-store.ts'
import { connectRemote, disconnectRemote } from './presence.ts'
import { beat } from './presence-store.ts'
import { applySessionFrames, type SessionFrame } from './session-frames.ts'
import { type SessionLine, sessionLine } from './session-line.ts'
import { type RemoteUpdate, remoteAnswer, remoteSubject } from './subjects.ts'

const maxUnprocessedBytes = 4 * 1024 * 1024
const unreadBytesLimit = 16 * 1024 * 1024
const minFrameBytes = 1024
const heartbeatCost = 64 * 1024

/** Frames per transaction: chunks of commands are large, events of agents are small. */
const batchFrames = { commands: 16, sessions: 64 } as const

type RemoteLine = {
  remoteId: string
  connection: number
  link: MachineLink
  send: (frame: ServerToRemote) => void
  sessions: SessionLine
}

const overStates = ['completed', 'failed', 'canceled', 'cancelled', 'rejected']

const endsTurn = (frame: SessionFrame): boolean => {
  if (frame.type !== 'remote_session_event') return false
  const { type, payload } = frame.data.event
  const state = payload?.to_state ?? payload?.to ?? payload?.state
  return type === 'run.state_changed' && overStates.includes(String(state))
}

export const remoteSockets = (platform: Platform, gate: HttpGate) => {
  const { bus, log } = platform
  const ctx = () => createCtx(platform, system)

  /** Claimed before sending: a command that may have been sent is never sent again. */
  const sendExec = async ({ remoteId, connection, send }: RemoteLine, runId: string): Promise<void> => {
    const run = await execs.findPending(platform.db, remoteId, runId)
    if (!run) return
    const env = await openEnv(ctx(), run)
    if (!(await execs.claimRun(platform.db, { id: runId, remoteId, connection }, platform.now().toISOString()))) return
    send({
      type: 'remote_exec_start',
      data: {
        exec_run_id: run.id,
        command: run.command,
        args: run.args,
        cwd: run.cwd,
        env,
        pty: run.pty,
        timeout_ms: run.timeout_ms,
        ...(run.stdin && { stdin: true }),
        ...(run.cols !== null && { cols: run.cols }),
        ...(run.rows !== null && { rows: run.rows }),
      },
    })
  }

  const inputSender = ({ send }: RemoteLine) => {
    const sentTo = new Map<string, number>()
    return async (runId: string): Promise<void> => {
      for (const { seq, data, eof } of await output.readInputs(platform.db, runId, sentTo.get(runId) ?? 0)) {
        if (seq <= (sentTo.get(runId) ?? 0)) continue
        sentTo.set(runId, seq)
        const typed = { exec_run_id: runId, seq, data: data.toString('base64') }
        send({ type: 'remote_exec_input', data: { ...typed, ...(eof && { eof }) } })
      }
    }
  }

  const kill = (runId: string): ServerToRemote => ({
    type: 'remote_exec_signal',
    data: { exec_run_id: runId, signal: 'SIGKILL' },
  })

  /** Sends what the machine must receive after every connect: the positions to resume from, and what it missed. */
  const sendInitialState = async (
    { remoteId, send, sessions }: RemoteLine,
    sendInput: (runId: string) => Promise<void>,
  ): Promise<void> => {
    for (const run of await execs.runningOf(platform.db, remoteId)) {
      send({ type: 'remote_exec_replay', data: { exec_run_id: run.id, after_seq: run.last_seq } })
      if (run.signalled_at !== null) send(kill(run.id))
      if (run.pty && run.cols !== null && run.rows !== null)
        send({ type: 'remote_exec_resize', data: { exec_run_id: run.id, cols: run.cols, rows: run.rows } })
      if (run.input_seq > run.input_acked) await sendInput(run.id)
    }
    await sessions.greet()
  }

  const onUpdate = (
    line: RemoteLine,
    sendInput: (runId: string) => Promise<void>,
    update: RemoteUpdate,
  ): Promise<void> | undefined => {
    const { link, send, connection } = line
    if (update.type === 'exec') return sendExec(line, update.runId)
    if (update.type === 'input') return sendInput(update.runId)
    if (update.type === 'session') return line.sessions.sync(update.chatId)
    if (update.type === 'signal') send(kill(update.runId))
    else if (update.type === 'resize')
      send({ type: 'remote_exec_resize', data: { exec_run_id: update.runId, cols: update.cols, rows: update.rows } })
    else if (update.type === 'sessions')
      send({
        type: 'remote_sessions_list',
        data: { request_id: update.requestId, ...(update.cwd !== undefined && { cwd: update.cwd }) },
      })
    else if (update.type === 'cut') link.close(closeCodes.refused, update.reason)
    else if (update.connection > connection) link.close(closeCodes.replaced, 'replaced by a newer connection')
    return undefined
  }

  const serveConnection = async (
    remoteId: string,
    link: MachineLink,
    connection: number,
  ): Promise<MachineConnection<RemoteToServer>> => {
    const line: RemoteLine = {
      remoteId,
      connection,
      link,
      send: link.send,
      sessions: sessionLine(platform.db, remoteId, link.send),
    }
    const sendInput = inputSender(line)
    const failed = (error: unknown): void => {
      log.error({ err: error, remote: remoteId }, 'serving a remote failed; it reconnects')
      link.close(closeCodes.broken, 'internal error; reconnect')
    }
    // Sequential, so that input does not overtake its command.
    let last = sendInitialState(line, sendInput)
    last.catch(failed)
    const inTurn = (work: () => Promise<void> | undefined): void => {
      last = last.then(work)
      last.catch(failed)
    }
    const unsubscribe = bus.subscribe(
      remoteSubject(remoteId),
      (update) => inTurn(() => onUpdate(line, sendInput, update)),
      {
        // The sweep repeats commands.
        onQuiet: () => inTurn(line.sessions.syncAll),
      },
    )
    const recordEvents = { remoteId, connection, ctx, send: link.send }
    const outputLimitBytes = platform.settings.EXEC_OUTPUT_MB * 1024 * 1024
    const commands = createFrameQueue<ExecFrame>(
      batchFrames.commands,
      (runId, batch) => applyFrames({ ...recordEvents, outputLimitBytes }, runId, batch),
      failed,
    )
    const sessions = createFrameQueue<SessionFrame>(
      batchFrames.sessions,
      (chatId, batch) => applySessionFrames(recordEvents, chatId, batch),
      failed,
    )
    const receiveSession = (frame: SessionFrame, done: () => void): void => {
      if (endsTurn(frame)) line.sessions.turnEnded(frame.data.chat_id)
      sessions.push(frame.data.chat_id, frame, done)
    }
    return {
      receive: (received, done) => {
        // Output is base64 and needs no cleanup. Other text must be cleaned, because a frame that cannot be stored
        // would be sent again forever.
        const frame = received.type === 'remote_exec_output' ? received : toStorable(received)
        if (frame.type === 'remote_exec_output' || frame.type === 'remote_exec_exit')
          commands.push(frame.data.exec_run_id, frame, done)
        else if (
          frame.type === 'remote_session_opened' ||
          frame.type === 'remote_session_event' ||
          frame.type === 'remote_session_closed'
        )
          receiveSession(frame, done)
        else receive(line, frame).catch(failed).finally(done)
      },
      gone: async () => {
        unsubscribe()
        await commands.idle()
        await sessions.idle()
        await disconnectRemote(ctx(), remoteId, connection)
      },
    }
  }

  const receive = async ({ remoteId, connection, link }: RemoteLine, frame: RemoteToServer): Promise<void> => {
    if (frame.type === 'remote_heartbeat') {
      // Deleted or replaced, and the event was lost.
      if (!(await beat(platform.db, remoteId, connection, platform.now().toISOString())))
        link.close(closeCodes.refused, 'this is no longer the connection of a remote')
    } else if (frame.type === 'remote_exec_input_ack') {
      const run = { id: frame.data.exec_run_id, remoteId, connection }
      await output.deleteInputs(platform.db, run, frame.data.seq)
    } else if (frame.type === 'remote_sessions_listed')
      bus.publish(remoteAnswer(`${remoteId}/${frame.data.request_id}`), frame.data.sessions)
    else log.info({ remote: remoteId, frame: frame.type }, 'a remote sent an unexpected frame')
  }

  return machineSockets<RemoteToServer>(platform, gate, {
    name: 'remote',
    path: '/ws/remotes/:id',
    scope: 'remotes:write',
    frames: RemoteToServer,
    frameBytesLimit,
    maxUnprocessedBytes,
    unreadBytesLimit,
    costOf: (frame, sizeBytes) =>
      Math.max(sizeBytes, frame.type === 'remote_heartbeat' ? heartbeatCost : minFrameBytes),
    admit: async (actor, id) => (await findOwn(createCtx(platform, actor), id)).id,
    connect: async (remoteId, link) => {
      const connection = await connectRemote(ctx(), remoteId)
      return connection === null ? 'the remote was deleted' : serveConnection(remoteId, link, connection)
    },
  })
}
