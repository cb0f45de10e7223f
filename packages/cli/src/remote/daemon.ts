// The daemon between the server, the command supervisor and the coding agents. It decides what may run, logs every
// command, and forwards frames as fast as the receiver accepts them.
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { type RemoteExecStart, ServerToRemote } from '@millrace/contract/remote-frames'
import { Compile } from 'typebox/compile'
import { logCommand } from './command-log.ts'
import { type Policy, refusalOf } from './policy.ts'
import { type LinkTimes, openServerLink, type ServerLink } from './server-link.ts'
import type { Sessions } from './sessions.ts'
import { connectSupervisor, type SupervisorLink, type SupervisorProgram } from './supervisor-link.ts'
import type { SupervisorReady } from './supervisor-process.ts'

export type DaemonOptions = {
  url: string
  headers: Record<string, string>
  /** The folder of the key, the log and the commands. */
  folder: string
  cwd: string
  policy: Policy
  supervisor: SupervisorProgram
  sessions: Sessions
  times: LinkTimes
  now: () => Date
  say: (text: string) => void
  signal: AbortSignal
  /**
   * Whether a person stopped the daemon, which also ends its commands. Otherwise they continue, and the next start
   * finds them.
   */
  endsCommands: () => boolean
}

const isFrame = Compile(ServerToRemote)

/** Runs until the signal, or until the server refuses the remote; then it returns the reason. */
export const runDaemon = async (options: DaemonOptions): Promise<string | null> => {
  let server: ServerLink | undefined
  let refused: string | null = null
  let isConnected = false
  const over = Promise.withResolvers<void>()
  let supervisor: SupervisorLink | undefined

  // The supervisor keeps sending while a connection breaks and the next one opens. Chunks that were sent after lost ones
  // must not reach the new connection, because the server would accept the gap.
  let connection = 0
  let isSupervisorReady = false
  const beginConnection = (link: SupervisorLink | undefined): void => {
    connection += 1
    isSupervisorReady = false
    link?.notify({ type: 'keeper_connected', connection })
  }
  const fromSupervisor = (frame: unknown): void => {
    const { type, connection: readyFor } = Object(frame) as Partial<SupervisorReady>
    if (type === 'keeper_ready') isSupervisorReady = readyFor === connection
    else if (isConnected && isSupervisorReady && !server?.send(frame)) supervisor?.pause()
  }
  const findSupervisor = async (): Promise<void> => {
    const found = await connectSupervisor(options.supervisor, fromSupervisor)
    supervisor = found
    if (isConnected) beginConnection(found)
    void found.closed.then(() => {
      if (options.signal.aborted || refused !== null) return
      options.say('The process that runs commands ended and is started again')
      findSupervisor().catch((error: unknown) => {
        refused = `Commands cannot run here: ${(error as Error).message}`
        over.resolve()
      })
    })
  }
  await findSupervisor()

  /** This machine applies its own policy, independent of the server. */
  const start = (frame: RemoteExecStart): void => {
    const { exec_run_id: id, command, args, pty } = frame.data
    const cwd = resolve(options.cwd || homedir(), frame.data.cwd)
    const why = refusalOf(options.policy, frame.data)
    logCommand(options.folder, {
      at: options.now().toISOString(),
      exec_run_id: id,
      command,
      args,
      cwd,
      pty,
      ...(why !== null && { refused: why }),
    })
    options.say(`${why === null ? 'runs' : 'refuses'}  ${[command, ...args].join(' ')}`)
    if (why === null) {
      supervisor?.send({ ...frame, data: { ...frame.data, cwd } })
      return
    }
    const data = { exec_run_id: id, exit_code: null, error: why, timed_out: false, duration_ms: 0 }
    server?.send({ type: 'remote_exec_exit', data })
  }

  server = openServerLink({
    url: options.url,
    headers: options.headers,
    times: options.times,
    onOpen: () => {
      isConnected = true
      options.say('connected')
      options.sessions.connect((frame) => void server?.send(frame))
      supervisor?.resume()
      beginConnection(supervisor)
    },
    onLost: (why) => {
      if (isConnected) options.say(`disconnected (${why}); reconnecting`)
      isConnected = false
      options.sessions.connect(null)
      supervisor?.resume()
      supervisor?.notify({ type: 'keeper_lost' })
    },
    onRoom: () => supervisor?.resume(),
    onFrame: (frame) => {
      if (!isFrame.Check(frame)) return
      if (frame.type === 'remote_exec_start') start(frame)
      else if (!options.sessions.receive(frame)) supervisor?.send(frame)
    },
    onRefused: (why) => {
      refused = why
      over.resolve()
    },
  })
  options.signal.addEventListener('abort', () => over.resolve(), { once: true })
  await over.promise
  if (options.endsCommands() || refused !== null) {
    supervisor?.notify({ type: 'keeper_end' })
    await Promise.race([supervisor?.closed, new Promise((done) => setTimeout(done, 3_000).unref())])
  }
  options.sessions.close()
  await server.close()
  supervisor?.close()
  return refused
}
