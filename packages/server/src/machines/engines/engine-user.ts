// Chooses the user and the folder of the local engine. A server that runs as root gives the engine its own user, who
// owns one folder and can read nothing else in the data folder: neither the master key nor the database or its
// password.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { mayTraverse } from '#platform/db/embedded/privileges.ts'
import { isOnlyLocal, type Settings, SettingsError } from '#platform/settings/settings.ts'

export type EngineUser = { uid: number; gid: number }

export type EngineSetup =
  | { kind: 'ready'; user: EngineUser | null; workFolder: string; warning: string | null }
  | { kind: 'refused'; message: string }

export type SetupRequest = { program: string; settings: Settings }

const fallbackFolder = '/var/tmp'
const firstUid = 61_700
const lastUid = 61_799

/** A user id without an account, so that it owns no other files. The owner of an existing folder is reused. */
export const pickEngineUser = (
  passwd: string,
  ownerUid: number | null,
  others: readonly number[] = [],
): EngineUser | null => {
  const taken = new Set([...passwd.split('\n').map((line) => Number(line.split(':')[2])), ...others])
  const isFree = (uid: number) => uid >= firstUid && uid <= lastUid && !taken.has(uid)
  if (ownerUid !== null && isFree(ownerUid)) return { uid: ownerUid, gid: ownerUid }
  for (let uid = firstUid; uid <= lastUid; uid += 1) if (isFree(uid)) return { uid, gid: uid }
  return null
}

/** The runtime that the engine program would use as this user; null if the program cannot start. */
export const queryRuntime = async (
  program: string,
  setting: string,
  user: EngineUser | null,
): Promise<string | null> => {
  const env = engineEnvironment(process.env, '/nonexistent')
  const args = [program, '--which-runtime', '--runtime', setting]
  const options = { env, cwd: '/', timeout: 30_000, ...(user ?? {}) }
  return promisify(execFile)(process.execPath, args, options).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
}

/** The process runtime without a sandbox is only for users whom the operator trusts, not for open sign-up. */
export const refuseOpenSignUpWithoutSandbox = async (
  settings: Settings,
  queryRuntimeOnce: () => Promise<string | null>,
): Promise<void> => {
  if (!settings.ENGINE || settings.SIGN_UP !== 'open' || isOnlyLocal(settings)) return
  const runtime = settings.ENGINE_RUNTIME === 'auto' ? await queryRuntimeOnce() : settings.ENGINE_RUNTIME
  if (runtime !== 'process') return
  throw new SettingsError(
    'With open sign-up, anyone could run apps without a sandbox, as the user of the engine.\n' +
      'Set SIGN_UP=invited (or closed); or install bubblewrap and set ENGINE_RUNTIME=bubblewrap, or use container;\n' +
      'or set ENGINE=false and run engines elsewhere.',
  )
}

export const prepareEngineSetup = async (
  dataDir: string,
  folder: string,
  { program, settings }: SetupRequest,
): Promise<EngineSetup> => {
  const runtime = settings.ENGINE_RUNTIME
  const own = join(folder, 'work')
  await adoptEarlierState(folder, own)
  if (process.geteuid?.() !== 0) return { kind: 'ready', user: null, workFolder: own, warning: null }
  const user = pickEngineUser(
    readFileSync('/etc/passwd', 'utf8'),
    await ownerOf(own),
    await ownersOfOthers(dataDir, own),
  )
  const name = user && (await queryRuntime(program, runtime, user))
  const workFolder = user && name ? await handOverFolder(dataDir, own, user) : null
  if (user && workFolder !== null) return { kind: 'ready', user, workFolder, warning: null }
  // No other user can run the program here. If apps are sandboxed, they do not have the engine's rights anyway.
  const asRoot = await queryRuntime(program, runtime, null)
  const whatToDo = `Move Millrace out of folders that only root may enter (${dirname(program)}), or start it as another user.`
  if (asRoot === 'process' && !isOnlyLocal(settings))
    return { kind: 'refused', message: `Apps cannot run: they would run as root without a sandbox. ${whatToDo}` }
  const warning =
    asRoot === 'process' ? `Apps run as root without a sandbox. ${whatToDo}` : `The engine runs as root. ${whatToDo}`
  return { kind: 'ready', user: null, workFolder: own, warning }
}

const ownerOf = async (path: string): Promise<number | null> =>
  lstat(path).then(
    ({ uid }) => uid,
    () => null,
  )

/** Folders of the data folder that contain the folders of engines. */
const engineFolders = ['engine', 'instances']

/** Engines on the same machine must not share a user. */
const ownersOfOthers = async (dataDir: string, own: string): Promise<number[]> => {
  const rented = await readdir(join(dataDir, 'instances')).catch(() => [])
  const folders = [join(dataDir, 'engine'), ...rented.map((name) => join(dataDir, 'instances', name))]
  const owners = await Promise.all(
    folders
      .map((folder) => join(folder, 'work'))
      .filter((work) => work !== own)
      .map(ownerOf),
  )
  return owners.filter((uid) => uid !== null)
}

/**
 * Engines of earlier versions worked directly in the folder. Keeps their identity and deletes everything that can be
 * downloaded again.
 */
const adoptEarlierState = async (folder: string, own: string): Promise<void> => {
  await mkdir(own, { recursive: true, mode: 0o700 })
  await rename(join(folder, 'engine.json'), join(own, 'engine.json')).catch(() => undefined)
  for (const name of ['bundles', 'files', 'inputs', 'staging', 'tmp', 'engine.yml'])
    await rm(join(folder, name), { recursive: true, force: true })
}

/**
 * Makes the folder, and nothing beside it, accessible to the user. If a parent folder is not accessible, another folder
 * is used.
 */
const handOverFolder = async (dataDir: string, own: string, user: EngineUser): Promise<string | null> => {
  if (await isReachable(dirname(resolve(dataDir)), user)) {
    for (const name of await readdir(dataDir))
      if (!engineFolders.includes(name)) await removeAccessOfOthers(join(dataDir, name))
    for (let folder = dirname(own); folder !== dirname(resolve(dataDir)); folder = dirname(folder))
      await chmod(folder, 0o711)
    return changeOwner(own, user)
  }
  const place = dirname(own) === join(resolve(dataDir), 'engine') ? resolve(dataDir) : own
  const name = `millrace-engine-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`
  const fallback = join(fallbackFolder, name)
  await mkdir(fallback, { mode: 0o700 }).catch(() => undefined)
  return changeOwner(fallback, user)
}

/** Null if another user created the folder first: a folder in a shared place is only trusted with the right owner. */
const changeOwner = async (path: string, user: EngineUser): Promise<string | null> => {
  const facts = await lstat(path).catch(() => null)
  if (!facts?.isDirectory() || (facts.uid !== 0 && facts.uid !== user.uid)) return null
  if (facts.uid === 0) {
    for (const name of await readdir(path)) {
      const { nlink } = await lstat(join(path, name))
      if (name === 'engine.json' && nlink === 1) await chown(join(path, name), user.uid, user.gid)
      else await rm(join(path, name), { recursive: true, force: true })
    }
    await chown(path, user.uid, user.gid)
  }
  await chmod(path, 0o700)
  return path
}

const removeAccessOfOthers = async (path: string): Promise<void> => {
  const facts = await lstat(path).catch(() => null)
  if (facts === null || facts.isSymbolicLink() || (facts.mode & 0o007) === 0) return
  await chmod(path, facts.mode & 0o770)
}

const isReachable = async (folder: string, user: EngineUser): Promise<boolean> => {
  for (let path = folder; ; path = dirname(path)) {
    if (!mayTraverse(await lstat(path), { name: '', ...user })) return false
    if (path === dirname(path)) return true
  }
}

// Variables that installers, interpreters and container programs need. All others may be secrets, and apps that run as
// the engine's user can read its environment.
const passing =
  /^(PATH|LANG|LC_\w+|TZ|TMPDIR|https?_proxy|no_proxy|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|npm_config_\w+|PIP_\w+|UV_\w+|PYENV_ROOT|LD_LIBRARY_PATH|CUDA_\w+|NVIDIA_\w+|DOCKER_HOST|DOCKER_CONFIG|CONTAINER_HOST|XDG_RUNTIME_DIR)$/i

export const engineEnvironment = (env: NodeJS.ProcessEnv, home: string): Record<string, string> => {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && passing.test(name) ? [[name, value]] : [],
  )
  const isRoot = process.geteuid?.() === 0
  return { ...Object.fromEntries(passed), HOME: isRoot ? home : (env.HOME ?? home) }
}
