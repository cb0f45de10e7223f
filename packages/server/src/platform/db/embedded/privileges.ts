// PostgreSQL refuses to run as root. If this process is root, this file decides in this order:
// 1. run as an unprivileged user, with the binaries in place or copied to the data folder;
// 2. run in a user namespace, where the server sees a normal user but the kernel still sees root;
// 3. run as that user with the binaries copied to the system's temporary folder.
// That user may be unable to traverse the parents of the database folder (a clone in /root). On Linux the server then
// starts inside the folder and refers to it by its working directory. Parent folders are never changed.
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chmod, lchown, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Binaries, binaryIn, copyBinaries, locateBinaries } from './binaries.ts'

export type SystemUser = { name: string; uid: number; gid: number }

export type RunAs =
  | { kind: 'self'; nativeDir: string }
  | { kind: 'user'; nativeDir: string; user: SystemUser; fromInside: boolean }
  | { kind: 'namespace'; nativeDir: string; user: SystemUser }

/** Facts for the decision; `thisHost` reads the real ones. */
export type Host = {
  isRoot: boolean
  platform: NodeJS.Platform
  user: SystemUser | null
  canReach(folder: string, user: SystemUser): Promise<boolean>
  canRun(nativeDir: string, user: SystemUser): boolean
  canUseNamespace(nativeDir: string, user: SystemUser): boolean
  sharedFolders: readonly string[]
}

/**
 * The user to run as, from the text of /etc/passwd: the owner of an existing database, so that its files keep their
 * owner, or a suitable service user. initdb requires an entry there.
 */
export const pickUser = (passwd: string, ownerUid: number | null): SystemUser | null => {
  // Some systems write the id of nobody as -2; the kernel uses the unsigned number.
  const users = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }))
    .filter((user) => user.uid !== 0)
  const byName = ['postgres', '_postgres', 'nobody'].map((name) => users.find((user) => user.name === name))
  return [users.find((user) => user.uid === ownerUid), ...byName].find((user) => user !== undefined) ?? null
}

export const mayTraverse = (folder: { mode: number; uid: number; gid: number }, user: SystemUser): boolean => {
  if (folder.uid === user.uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === user.gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}

const canReach = async (folder: string, user: SystemUser): Promise<boolean> => {
  for (let path = folder; ; path = dirname(path)) {
    if (!mayTraverse(await stat(path), user)) return false
    if (path === dirname(path)) return true
  }
}

const namespaceArgs = (user: SystemUser) => ['--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`, '--']

export const thisHost = (pgDir: string): Host => ({
  isRoot: process.geteuid?.() === 0,
  platform: process.platform,
  user:
    process.geteuid?.() === 0
      ? pickUser(readFileSync('/etc/passwd', 'utf8'), statSync(pgDir, { throwIfNoEntry: false })?.uid ?? null)
      : null,
  canReach,
  canRun: (nativeDir, user) =>
    spawnSync(binaryIn(nativeDir, 'postgres'), ['--version'], { uid: user.uid, gid: user.gid, env: {}, cwd: '/' })
      .status === 0,
  canUseNamespace: (nativeDir, user) =>
    spawnSync('unshare', [...namespaceArgs(user), binaryIn(nativeDir, 'postgres'), '--version'], { cwd: '/' })
      .status === 0,
  sharedFolders: ['/var/tmp', tmpdir()],
})

const whatToDo = (pgDir: string) =>
  `PostgreSQL refuses to run as root, and no unprivileged user can run it in ${pgDir}. Start Millrace as an ordinary user; ` +
  'or move it and its data folder (DATA_DIR) out of folders only root may enter, such as /root; or set DATABASE_URL.'

const copiedAndRunnable = async (host: Host, binaries: Binaries, user: SystemUser, root: string) => {
  if (!(await host.canReach(root, user))) return null
  const nativeDir = await copyBinaries(binaries, root).catch(() => null)
  return nativeDir !== null && host.canRun(nativeDir, user) ? nativeDir : null
}

export const chooseRunAs = async (pgDir: string, host: Host = thisHost(pgDir), found?: Binaries): Promise<RunAs> => {
  const binaries = found ?? (await locateBinaries())
  if (!host.isRoot) return { kind: 'self', nativeDir: binaries.nativeDir }
  const { user } = host
  if (user === null) throw new Error(whatToDo(pgDir))

  const dataDir = dirname(pgDir)
  const reachesData = await host.canReach(dataDir, user)
  const asUser = (nativeDir: string): RunAs => ({ kind: 'user', nativeDir, user, fromInside: !reachesData })

  if (reachesData || host.platform === 'linux') {
    if (host.canRun(binaries.nativeDir, user)) return asUser(binaries.nativeDir)
    const copied = await copiedAndRunnable(host, binaries, user, dataDir)
    if (copied !== null) return asUser(copied)
  }
  if (host.canUseNamespace(binaries.nativeDir, user)) return { kind: 'namespace', nativeDir: binaries.nativeDir, user }
  if (reachesData || host.platform === 'linux') {
    for (const root of host.sharedFolders) {
      const copied = await copiedAndRunnable(host, binaries, user, root)
      if (copied !== null) return asUser(copied)
    }
  }
  throw new Error(whatToDo(pgDir))
}

/** The owner of the database files; null if the current user keeps them. */
export const ownerFor = (runAs: RunAs): { uid: number; gid: number } | null =>
  runAs.kind === 'user' ? runAs.user : runAs.kind === 'namespace' ? { uid: 0, gid: 0 } : null

/**
 * Changes the owner recursively. The top folder is last, so its owner shows whether an earlier change was completed.
 */
export const handOver = async (dir: string, runAs: RunAs): Promise<void> => {
  const owner = ownerFor(runAs)
  if (owner !== null && (await stat(dir)).uid !== owner.uid) {
    for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
      await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid)
    }
    await lchown(dir, owner.uid, owner.gid)
  }
  // A restored copy is often readable by others, which PostgreSQL refuses.
  await chmod(dir, 0o700)
}

export type Launch = { file: string; args: string[]; uid?: number; gid?: number }

export const launchAs = (runAs: RunAs, binary: 'initdb' | 'postgres', args: readonly string[]): Launch => {
  const file = binaryIn(runAs.nativeDir, binary)
  if (runAs.kind === 'user') return { file, args: [...args], uid: runAs.user.uid, gid: runAs.user.gid }
  if (runAs.kind === 'namespace') return { file: 'unshare', args: [...namespaceArgs(runAs.user), file, ...args] }
  return { file, args: [...args] }
}

/** The environment of this process is not passed on: it contains secrets, and PG* variables for other servers. */
export const launchEnv = () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' })
