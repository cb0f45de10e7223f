// A data folder after its first start. Creating a database takes longer than starting, so one folder is created per
// test run and copied for each server.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const limitMs = 120_000

/** `start` starts a server on a folder and stops it again. */
export const freshFolder = async (start: (folder: string) => Promise<void>): Promise<string> => {
  const model = await modelFolder(start)
  const folder = await mkdtemp(join(tmpdir(), 'millrace-e2e-'))
  // Includes owners and modes: the database has its own user.
  await promisify(execFile)('cp', ['-a', `${model}/.`, folder])
  return folder
}

/** The first caller creates it; the others wait. */
const modelFolder = async (start: (folder: string) => Promise<void>): Promise<string> => {
  const model = join(tmpdir(), 'millrace-first-start')
  const making = `${model}-being-made`
  const isFirst = await mkdir(making, { mode: 0o700 }).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    await start(making)
    // Each server needs its own identity.
    for (const own of ['place', 'claim.lock', 'claim.pid']) await rm(join(making, own), { force: true })
    await rename(making, model)
    // Never removed, so that no other caller creates it again.
    await mkdir(making)
  }
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += 50) {
    if (await stat(model).catch(() => null)) return model
    await sleep(50)
  }
  throw new Error('The first data folder of this run was not made')
}
