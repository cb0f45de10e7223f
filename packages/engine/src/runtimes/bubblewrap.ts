// Apps inside bubblewrap: they see the system read-only, their own bundle, their three folders under /app, an empty
// /tmp, and none of the engine's files or other apps' processes. The network is shared, because apps call APIs.

import { dirname } from 'node:path'
import type { LimitWatch } from '../machine/limit-watch.ts'
import { startSessionChild } from './child-process.ts'
import { findPrlimit, limitPrefix } from './plain-process.ts'
import type { AppFolders, Runtime } from './runtime.ts'

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/opt']

export type BubblewrapOptions = { bwrap: string; readOnly: readonly string[]; limitWatch: LimitWatch }

export const bubblewrap = (options: BubblewrapOptions): Runtime => ({
  name: 'bubblewrap',
  listenOn: '127.0.0.1:0',
  interpreter: (_language, hostPath) => hostPath,
  start: async ({ processId, folders, command, env, limits }) => {
    const inside = insideFolders(folders)
    const child = startSessionChild({
      processId,
      command: [
        ...limitPrefix(limits, findPrlimit()),
        options.bwrap,
        ...bubblewrapArguments(folders, options.readOnly),
        '--',
        ...command(inside),
      ],
      cwd: folders.code,
      env: env(inside),
      limits,
      limitWatch: options.limitWatch,
    })
    return { ...child, inside, endpoint: (port) => ({ host: '127.0.0.1', port }) }
  },
})

export const insideFolders = (folders: AppFolders): AppFolders => ({
  code: '/app/code',
  files: folders.files,
  data: '/app/data',
  tmp: '/app/tmp',
  cache: '/app/cache',
})

export const bubblewrapArguments = (folders: AppFolders, readOnly: readonly string[]): string[] => [
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/app'],
  ...systemFolders.flatMap((folder) => ['--ro-bind-try', folder, folder]),
  ...[dirname(dirname(process.execPath)), ...readOnly].flatMap((folder) => ['--ro-bind', folder, folder]),
  ...['--ro-bind', folders.code, '/app/code'],
  ...['--ro-bind', folders.files, folders.files],
  ...['--bind', folders.data, '/app/data', '--bind', folders.tmp, '/app/tmp', '--bind', folders.cache, '/app/cache'],
  ...['--chdir', '/app/code'],
]
