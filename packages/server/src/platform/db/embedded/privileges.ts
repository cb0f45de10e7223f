// PostgreSQL refuses to run as root. When we are root this decides, in this order, as whom and from where it runs:
//   1. as an unprivileged user, with the binaries where npm put them, or copied into the data folder;
//   2. in a user namespace, where the server sees a plain user while the kernel still sees us;
//   3. as that user again, with the binaries copied into the system's folder for temporary files.
// The way to the database folder may be barred to that user (a clone in /root). On Linux that is no obstacle: the server
// starts inside the folder and calls it by its working directory. Parent folders are never changed.
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

/** What the decision depends on; the real host is `thisHost`. */
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
 * Whom we can become, from the text of /etc/passwd: the owner of an existing database, so that its files need not change
 * hands, or else a user made for the purpose. initdb insists on one that has an entry there.
 */
export const pickUser = (passwd: string, ownerUid: number | null): SystemUser | null => {
  // Some systems write nobody's id as -2; the kernel means the unsigned number.
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

/** Who owns the database files; null when we run as ourselves and change nothing. */
export const ownerFor = (runAs: RunAs): { uid: number; gid: number } | null =>
  runAs.kind === 'user' ? runAs.user : runAs.kind === 'namespace' ? { uid: 0, gid: 0 } : null

/** Hands a folder over. The top goes last: its owner tells whether an earlier hand-over was finished. */
export const handOver = async (dir: string, runAs: RunAs): Promise<void> => {
  const owner = ownerFor(runAs)
  if (owner !== null && (await stat(dir)).uid !== owner.uid) {
    for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
      await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid)
    }
    await lchown(dir, owner.uid, owner.gid)
  }
  // A folder restored by a plain copy is often readable to others, which PostgreSQL refuses.
  await chmod(dir, 0o700)
}

export type Launch = { file: string; args: string[]; uid?: number; gid?: number }

export const launchAs = (runAs: RunAs, binary: 'initdb' | 'postgres', args: readonly string[]): Launch => {
  const file = binaryIn(runAs.nativeDir, binary)
  if (runAs.kind === 'user') return { file, args: [...args], uid: runAs.user.uid, gid: runAs.user.gid }
  if (runAs.kind === 'namespace') return { file: 'unshare', args: [...namespaceArgs(runAs.user), file, ...args] }
  return { file, args: [...args] }
}

/** Nothing of our own environment reaches the server: it holds secrets, and PG* variables that mean another server. */
export const launchEnv = () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' })
