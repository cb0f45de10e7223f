// Creates the database folder. It is created under a temporary name and renamed when complete, so a start that is
// killed halfway leaves nothing that looks like a database.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { lchown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ownWorkingDir } from './postmaster-file.ts'
import { launchAs, launchEnv, ownerFor, type RunAs } from './privileges.ts'
import { operatorFile } from './settings.ts'

export const roleName = 'millrace'
const draftPrefix = 'postgres.init-'

const removeDrafts = async (dataDir: string): Promise<void> => {
  const drafts = (await readdir(dataDir)).filter((name) => name.startsWith(draftPrefix))
  for (const name of drafts) {
    // An initdb that survived its killed parent may still write here; it fails once its folder is gone.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

const runInitdb = async (runAs: RunAs, dir: string): Promise<void> => {
  const { file, args, ...ids } = launchAs(runAs, 'initdb', [
    `--pgdata=${runAs.kind === 'user' && runAs.fromInside ? ownWorkingDir : dir}`,
    `--username=${roleName}`,
    '--pwfile=../password',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's builtin rules for letters: the same order on every machine, independent of system locales.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--no-instructions',
  ])
  const child = spawn(file, args, {
    ...ids,
    cwd: dir,
    env: launchEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = new Promise<number | null>((done, failed) => child.once('error', failed).once('close', done))
  const [exitCode, output, complaints] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  if (exitCode !== 0) throw new Error(`initdb could not create the database folder:\n${complaints || output}`.trim())
}

const syncFolder = async (dir: string): Promise<void> => {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const initialise = async (pgDir: string, runAs: RunAs, password: string): Promise<void> => {
  const dataDir = dirname(pgDir)
  await removeDrafts(dataDir)
  const draft = join(dataDir, `${draftPrefix}${randomBytes(6).toString('hex')}`)
  const fresh = join(draft, 'data')
  try {
    await mkdir(fresh, { recursive: true, mode: 0o700 })
    await writeFile(join(draft, 'password'), `${password}\n`, { mode: 0o600 })
    const owner = ownerFor(runAs)
    if (owner !== null) {
      for (const path of [fresh, join(draft, 'password'), draft]) await lchown(path, owner.uid, owner.gid)
    }
    await runInitdb(runAs, fresh)
    await writeFile(join(fresh, 'postgresql.conf'), operatorFile)
    await rename(fresh, pgDir)
    await syncFolder(dataDir)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
