// The socket of an app process, in a folder that the app can change. The engine opens it once, checks it, and then
// always connects through that descriptor, so an app can never redirect the engine to a socket of the host.

import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { TaskFailure } from '../failures.ts'
import type { Endpoint, Exit } from './runtime.ts'

// Refers to a file without opening it.
const O_PATH = 0o10000000

export const openAppSocket = async (folder: string, name: string, exited: Promise<Exit>): Promise<Endpoint> => {
  const path = join(folder, name)
  const socket = await open(path, O_PATH | constants.O_NOFOLLOW).catch(() => undefined)
  if (!socket || !(await socket.stat()).isSocket()) {
    await socket?.close()
    throw new TaskFailure('the app process is not listening')
  }
  void exited.then(() => socket.close())
  await unlink(path)
  return { socketPath: `/proc/self/fd/${socket.fd}` }
}
