// Apps inside bubblewrap: they see the system's programs read-only, their own bundle, their four folders under /app,
// the files of their own task, and an empty /tmp. They see none of the engine's files or other apps' processes. They
// have no capabilities, even when the engine runs as root, and no network: all traffic goes through the engine's proxy,
// and the engine connects to them through a socket in their folder.

import { readdirSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TaskFailure } from '../failures.ts'
import { removeFolder } from '../files/safe-open.ts'
import type { ControlGroups } from '../machine/control-groups.ts'
import type { LimitWatch } from '../machine/limit-watch.ts'
import { findPrlimit } from '../machine/process-mark.ts'
import type { Egress } from '../outbound/egress.ts'
import { openAppSocket } from './app-socket.ts'
import { startSessionChild } from './child-process.ts'
import { limitPrefix } from './plain-process.ts'
import type { AppFolders, Purpose, Runtime } from './runtime.ts'

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt']

// Configuration that programs read. The rest of /etc contains password hashes and private keys, which apps of an engine that
// runs as root could read.
const systemFiles = [
  ...['passwd', 'group', 'nsswitch.conf', 'hosts', 'host.conf', 'gai.conf', 'services', 'protocols', 'pip.conf'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime', 'timezone', 'os-release', 'mime.types'],
  ...['ssl/certs', 'ssl/cert.pem', 'ssl/openssl.cnf', 'ca-certificates', 'pki/ca-trust', 'pki/tls/certs', 'fonts'],
  ...['chromium', 'chromium.d', 'chromium-browser', 'firefox', 'libreoffice', 'ghostscript', 'texmf', 'papersize'],
  ...['perl', 'magic', 'magic.mime', 'mailcap', 'locale.alias', 'xml', 'sgml', 'groff', 'terminfo', 'gtk-3.0'],
  ...['glvnd', 'vulkan', 'OpenCL', 'alsa', 'asound.conf', 'X11/xkb', 'X11/rgb.txt', 'debian_version'],
]

/** Packages with a version in their folder name. */
const versionedFiles = /^(java-\d+-openjdk|ImageMagick-\d+|python3(\.\d+)?)$/

const configuration = (): string[] =>
  [...systemFiles, ...readdirSync('/etc').filter((name) => versionedFiles.test(name))].map((name) => `/etc/${name}`)

// Files in a tmpfs are not counted by the memory watch, so their size is limited.
const memoryFilesBytes = 256 * 1024 ** 2

const socketName = '.millrace.sock'
const egressFolder = '/app/egress'

// Features of the installed bubblewrap version.
export type BubblewrapFeatures = { boundsMemoryFiles: boolean; forbidsNamespaces: boolean; filter: Buffer | undefined }

export type BubblewrapOptions = {
  bwrap: string
  features: BubblewrapFeatures
  readOnly: readonly string[]
  limitWatch: LimitWatch
  groups?: ControlGroups | undefined
  // Undefined: no egress.
  egress: Egress | undefined
}

export const bubblewrap = (options: BubblewrapOptions): Runtime => ({
  name: 'bubblewrap',
  listenOn: `unix:${insideFolders.tmp}/${socketName}`,
  interpreter: (_language, path) => path,
  inside: () => insideFolders,
  scratch: ['/tmp', '/dev/shm'],
  start: async ({ processId, purpose, folders, command, env, workFolder, limits, gpuIds, readOnly }) => {
    const inside = insideFolders
    const way = await openEgress(options.egress, purpose)
    const values = { ...env(inside), ...way.env }
    const sandbox = bubblewrapArguments({
      folders,
      purpose,
      readOnly: [...options.readOnly, ...readOnly],
      devices: gpuIds.length > 0 ? graphicsDevices() : [],
      features: options.features,
      egress: way.folder,
    })
    const place = workFolder?.(inside) ?? inside.code
    const child = startSessionChild({
      processId,
      command: [
        ...limitPrefix(limits, findPrlimit()),
        ...[options.bwrap, '--args', '4', ...sandbox, '--chdir', place, '--', ...way.wrap(command(inside))],
      ],
      cwd: '/',
      env: {},
      limits,
      limitWatch: options.limitWatch,
      groups: options.groups,
      handedOver: [options.features.filter, environmentArguments(values)],
    })
    void child.exited.then(way.close)
    return { ...child, inside, endpoint: () => openAppSocket(folders.tmp, socketName, child.exited) }
  },
})

// An app chooses its variables, and the dynamic loader of any program obeys some of them, so no program outside the
// sandbox may receive them. They are passed as arguments on a descriptor, invisible in process lists. A zero byte would
// end an argument.
export const environmentArguments = (values: Record<string, string>): Buffer => {
  const entries = Object.entries(values)
  const broken = entries.find(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes('\0'))
  if (broken) throw new TaskFailure(`the variable ${JSON.stringify(broken[0])} cannot be set`)
  return Buffer.from(entries.map(([name, value]) => `--setenv\0${name}\0${value}\0`).join(''))
}

export const insideFolders: AppFolders = {
  bundle: '/app/bundle',
  code: '/app/code',
  environment: '/app/environment',
  files: '/app/files',
  data: '/app/data',
  tmp: '/app/tmp',
  cache: '/app/cache',
}

export type Sandbox = {
  folders: AppFolders
  purpose: Purpose
  readOnly: readonly string[]
  devices: readonly string[]
  features: BubblewrapFeatures
  // The folder with the socket of the engine's proxy.
  egress: string | undefined
}

export const bubblewrapArguments = ({ folders, purpose, readOnly, devices, features, egress }: Sandbox): string[] => {
  const memoryFolder = (path: string) => [
    ...(features.boundsMemoryFiles ? ['--size', String(memoryFilesBytes)] : []),
    ...['--tmpfs', path],
  ]
  const bindInstalled = purpose === 'install' ? '--bind' : '--ro-bind'
  return [
    '--die-with-parent',
    // Nested namespaces would expose more of the kernel to apps.
    ...(features.forbidsNamespaces ? ['--unshare-user', '--disable-userns'] : ['--unshare-user-try']),
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...['--hostname', 'app'],
    ...(features.filter ? ['--seccomp', '3'] : []),
    ...['--cap-drop', 'ALL'],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...memoryFolder('/dev/shm'),
    ...devices.flatMap((path) => ['--dev-bind-try', path, path]),
    ...memoryFolder('/tmp'),
    ...['--tmpfs', '/app'],
    ...[...systemFolders, ...configuration()].flatMap((path) => ['--ro-bind-try', path, path]),
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...['--ro-bind', folders.bundle, insideFolders.bundle],
    ...['--bind', folders.code, insideFolders.code],
    ...[bindInstalled, folders.environment, insideFolders.environment],
    ...['--ro-bind', folders.files, insideFolders.files],
    ...['--bind', folders.data, insideFolders.data],
    ...['--bind', folders.tmp, insideFolders.tmp],
    ...['--bind', folders.cache, insideFolders.cache],
    ...(egress === undefined ? [] : ['--ro-bind', egress, egressFolder]),
    // The root of the sandbox is a tmpfs too, so it is remounted read-only.
    ...['/dev', '/app', '/'].flatMap((path) => ['--remount-ro', path]),
  ]
}

type Opened = {
  folder: string | undefined
  env: Record<string, string>
  // Wraps a program without a runner in one that opens the forwards.
  wrap: (command: string[]) => string[]
  close: () => Promise<void>
}

const openEgress = async (egress: Egress | undefined, purpose: Purpose): Promise<Opened> => {
  if (!egress) return { folder: undefined, env: {}, wrap: (command) => command, close: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'millrace-out-'))
  const proxy = await egress.open(join(folder, 'proxy'), purpose)
  return {
    folder,
    env: egress.env(`${egressFolder}/proxy`, purpose),
    wrap: (command) => (purpose === 'install' ? [...egress.wrapper, ...command] : command),
    close: async () => {
      proxy.close()
      await removeFolder(folder)
    },
  }
}

const graphicsDevices = (): string[] =>
  readdirSync('/dev')
    .filter((name) => /^(nvidia|kfd$|dri$)/.test(name))
    .map((name) => `/dev/${name}`)
