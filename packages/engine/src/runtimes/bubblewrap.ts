// Apps inside bubblewrap: they see the programs of the system read-only, their own bundle, their three folders under
// /app, the files of their own task, an empty /tmp, and none of the engine's files or other apps' processes. They hold no
// capabilities, also when the engine runs as root. The network is shared, because apps call APIs.

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import type { LimitWatch } from '../machine/limit-watch.ts'
import { startSessionChild } from './child-process.ts'
import { findPrlimit, limitPrefix } from './plain-process.ts'
import type { AppFolders, Runtime } from './runtime.ts'

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt']

// What programs need of /etc. The rest holds password hashes and private keys, which a root engine's apps could read.
const systemFiles = [
  ...['passwd', 'group', 'nsswitch.conf', 'hosts', 'host.conf', 'resolv.conf', 'gai.conf', 'services', 'protocols'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime', 'timezone', 'os-release', 'mime.types'],
  ...['ssl/certs', 'ssl/cert.pem', 'ssl/openssl.cnf', 'ca-certificates', 'pki/ca-trust', 'pki/tls/certs', 'fonts'],
].map((name) => `/etc/${name}`)

// Variables that name certificate files outside the usual places.
const certificateVariables = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']

// Files in memory escape the memory watch, so there may not be many of them.
const memoryFilesBytes = 256 * 1024 ** 2

export type BubblewrapOptions = { bwrap: string; readOnly: readonly string[]; limitWatch: LimitWatch }

export const bubblewrap = (options: BubblewrapOptions): Runtime => {
  const boundsMemoryFiles = knowsSize(options.bwrap)
  return {
    name: 'bubblewrap',
    listenOn: '127.0.0.1:0',
    interpreter: (_language, path) => path,
    start: async ({ processId, folders, command, env, limits, gpuIds, readOnly }) => {
      const inside = insideFolders
      const values = env(inside)
      const sandbox = bubblewrapArguments({
        folders,
        readOnly: [...options.readOnly, ...readOnly, ...certificateVariables.flatMap((name) => values[name] ?? [])],
        devices: gpuIds.length > 0 ? graphicsDevices() : [],
        boundsMemoryFiles,
      })
      const child = startSessionChild({
        processId,
        command: [...limitPrefix(limits, findPrlimit()), options.bwrap, ...sandbox, '--', ...command(inside)],
        cwd: folders.code,
        env: values,
        limits,
        limitWatch: options.limitWatch,
      })
      return { ...child, inside, endpoint: (port) => ({ host: '127.0.0.1', port }) }
    },
  }
}

export const insideFolders: AppFolders = {
  code: '/app/code',
  files: '/app/files',
  data: '/app/data',
  tmp: '/app/tmp',
  cache: '/app/cache',
}

export type Sandbox = {
  folders: AppFolders
  readOnly: readonly string[]
  devices: readonly string[]
  boundsMemoryFiles: boolean
}

export const bubblewrapArguments = ({ folders, readOnly, devices, boundsMemoryFiles }: Sandbox): string[] => {
  const memoryFolder = (path: string) => [
    ...(boundsMemoryFiles ? ['--size', String(memoryFilesBytes)] : []),
    ...['--tmpfs', path],
  ]
  return [
    '--die-with-parent',
    '--unshare-user-try',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...['--cap-drop', 'ALL'],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...memoryFolder('/dev/shm'),
    ...devices.flatMap((path) => ['--dev-bind-try', path, path]),
    ...memoryFolder('/tmp'),
    ...['--tmpfs', '/app'],
    ...[...systemFolders, ...systemFiles].flatMap((path) => ['--ro-bind-try', path, path]),
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...['--ro-bind', folders.code, insideFolders.code],
    ...['--ro-bind', folders.files, insideFolders.files],
    ...['--bind', folders.data, insideFolders.data],
    ...['--bind', folders.tmp, insideFolders.tmp],
    ...['--bind', folders.cache, insideFolders.cache],
    // What is left of the sandbox's own frame lies in memory too.
    ...['/dev', '/app', '/'].flatMap((path) => ['--remount-ro', path]),
    ...['--chdir', insideFolders.code],
  ]
}

// Versions before 0.7 cannot bound their memory folders.
const knowsSize = (bwrap: string): boolean =>
  spawnSync(bwrap, ['--help'], { encoding: 'utf8' }).stdout.includes('--size')

const graphicsDevices = (): string[] =>
  readdirSync('/dev')
    .filter((name) => /^(nvidia|kfd$|dri$)/.test(name))
    .map((name) => `/dev/${name}`)
