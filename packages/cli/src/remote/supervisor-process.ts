// The supervisor process. It has no terminal and survives the daemon: a restarted daemon finds it and its commands at its
// socket. It exits when nothing runs and no daemon is connected.
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { ServerToRemote } from '@millrace/contract/remote-frames'
import { Compile } from 'typebox/compile'
import { readLines, writeLine } from './lines.ts'
import { createSupervisor } from './supervisor.ts'

// The socket and the message types keep their first names, because a running supervisor of an earlier version uses them.
export const supervisorSocket = (folder: string): string => join(folder, 'keeper.sock')

/** The messages of the daemon to the supervisor itself. */
export type SupervisorMessage =
  | { type: 'keeper_connected'; connection: number }
  | { type: 'keeper_lost' }
  | { type: 'keeper_end' }
/** The answer to `keeper_connected`. Earlier frames belong to an earlier connection and are sent again. */
export type SupervisorReady = { type: 'keeper_ready'; connection: number }

const idleMs = 10_000
/** The server gives up a machine after ten minutes without contact. Its commands then have no owner. */
const orphanTimeoutMs = 11 * 60_000

const isFrame = Compile(ServerToRemote)

export const runSupervisor = (folder: string, env: Readonly<Record<string, string | undefined>>): Promise<void> =>
  new Promise((resolve, reject) => {
    const supervisor = createSupervisor(join(folder, 'runs'), env, () => performance.now())
    let daemon: Socket | undefined
    let orphanTimer: NodeJS.Timeout | undefined
    let ending = false

    const linked = (isLinked: boolean): void => {
      clearTimeout(orphanTimer)
      if (!isLinked) orphanTimer = setTimeout(() => supervisor.killAll(), orphanTimeoutMs)
    }
    const onMessage = (socket: Socket, value: unknown): void => {
      if (socket !== daemon) return
      const { type, connection } = Object(value) as { type?: unknown; connection?: number }
      if (type === 'keeper_connected') {
        linked(true)
        writeLine(socket, { type: 'keeper_ready', connection: connection ?? 0 } satisfies SupervisorReady)
        supervisor.connect((frame) => writeLine(socket, frame))
      } else if (type === 'keeper_lost') {
        linked(false)
        supervisor.disconnect()
      } else if (type === 'keeper_end') {
        ending = true
        supervisor.killAll()
      } else if (isFrame.Check(value)) supervisor.receive(value)
    }
    const server = createServer((socket) => {
      daemon?.destroy()
      daemon = socket
      readLines(socket, (value) => onMessage(socket, value))
      socket.on('drain', () => supervisor.pump())
      socket.on('error', () => {})
      socket.on('close', () => {
        if (daemon !== socket) return
        daemon = undefined
        linked(false)
        supervisor.disconnect()
      })
    })
    let idleSinceMs = performance.now()
    const watch = setInterval(() => {
      const isBusy = supervisor.running() > 0 || (daemon !== undefined && !ending)
      if (isBusy) idleSinceMs = performance.now()
      if (!isBusy && (ending || performance.now() - idleSinceMs > idleMs)) end()
    }, 250)
    const end = (): void => {
      clearInterval(watch)
      clearTimeout(orphanTimer)
      daemon?.destroy()
      server.close()
      rmSync(supervisorSocket(folder), { force: true })
      resolve()
    }
    linked(false)
    server.once('error', reject)
    server.listen(supervisorSocket(folder))
  })
