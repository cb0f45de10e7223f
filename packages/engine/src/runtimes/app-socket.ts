// The socket an app process listens on, in a folder that the app can change. It is named once, checked, and from then on
// reached by that name alone: whatever the app puts in its place, the engine never calls a socket of the host.

import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { TaskFailure } from '../failures.ts'
import type { Endpoint, Exit } from './runtime.ts'

// Names a file without opening it.
const O_PATH = 0o10000000

export const openAppSocket = async (folder: string, name: string, exited: Promise<Exit>): Promise<Endpoint> => {
  const path = join(folder, name)
  const held = await open(path, O_PATH | constants.O_NOFOLLOW).catch(() => undefined)
  if (!held || !(await held.stat()).isSocket()) {
    await held?.close()
    throw new TaskFailure('the app process listens nowhere')
  }
  void exited.then(() => held.close())
  await unlink(path)
  return { socketPath: `/proc/self/fd/${held.fd}` }
}
