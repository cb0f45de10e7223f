// The keeper process. It has no terminal and survives the daemon: a restarted daemon finds it and its commands at its
// socket. It exits when nothing runs and no daemon is connected.
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { ServerToRemote } from '@millrace/contract/remote-frames'
import { Compile } from 'typebox/compile'
import { createKeeper } from './keeper.ts'
import { readLines, writeLine } from './lines.ts'

export const keeperSocket = (folder: string): string => join(folder, 'keeper.sock')

/** The messages of the daemon to the keeper itself. */
export type KeeperOrder =
  | { type: 'keeper_connected'; connection: number }
  | { type: 'keeper_lost' }
  | { type: 'keeper_end' }
/** The answer to `keeper_connected`. Earlier frames belong to an earlier connection and are sent again. */
export type KeeperReady = { type: 'keeper_ready'; connection: number }

const idleMs = 10_000
/** The server gives up a machine after ten minutes without contact. Its commands then have no owner. */
const abandonedMs = 11 * 60_000

const isFrame = Compile(ServerToRemote)

export const hostKeeper = (folder: string, env: Readonly<Record<string, string | undefined>>): Promise<void> =>
  new Promise((resolve, reject) => {
    const keeper = createKeeper(join(folder, 'runs'), env, () => performance.now())
    let daemon: Socket | undefined
    let abandoned: NodeJS.Timeout | undefined
    let ending = false

    const linked = (isLinked: boolean): void => {
      clearTimeout(abandoned)
      if (!isLinked) abandoned = setTimeout(() => keeper.killAll(), abandonedMs)
    }
    const onMessage = (socket: Socket, value: unknown): void => {
      if (socket !== daemon) return
      const { type, connection } = Object(value) as { type?: unknown; connection?: number }
      if (type === 'keeper_connected') {
        linked(true)
        writeLine(socket, { type: 'keeper_ready', connection: connection ?? 0 } satisfies KeeperReady)
        keeper.connect((frame) => writeLine(socket, frame))
      } else if (type === 'keeper_lost') {
        linked(false)
        keeper.disconnect()
      } else if (type === 'keeper_end') {
        ending = true
        keeper.killAll()
      } else if (isFrame.Check(value)) keeper.receive(value)
    }
    const server = createServer((socket) => {
      daemon?.destroy()
      daemon = socket
      readLines(socket, (value) => onMessage(socket, value))
      socket.on('drain', () => keeper.pump())
      socket.on('error', () => {})
      socket.on('close', () => {
        if (daemon !== socket) return
        daemon = undefined
        linked(false)
        keeper.disconnect()
      })
    })
    let idleSinceMs = performance.now()
    const watch = setInterval(() => {
      const isBusy = keeper.running() > 0 || (daemon !== undefined && !ending)
      if (isBusy) idleSinceMs = performance.now()
      if (!isBusy && (ending || performance.now() - idleSinceMs > idleMs)) end()
    }, 250)
    const end = (): void => {
      clearInterval(watch)
      clearTimeout(abandoned)
      daemon?.destroy()
      server.close()
      rmSync(keeperSocket(folder), { force: true })
      resolve()
    }
    linked(false)
    server.once('error', reject)
    server.listen(keeperSocket(folder))
  })
