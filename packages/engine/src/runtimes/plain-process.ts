// Apps as ordinary processes of the engine's user. Limits are the kernel's where it has suitable ones (through
// `prlimit`), and the engine's own sampling everywhere. It keeps honest apps apart, it does not cage hostile ones:
// for those there are bubblewrap and containers.

import { existsSync } from 'node:fs'
import type { LimitWatch } from '../machine/limit-watch.ts'
import { startSessionChild } from './child-process.ts'
import type { ProcessLimits, Runtime } from './runtime.ts'

// Interpreters reserve writable memory long before they use it; the hard limit leaves room for that.
const reservedBytes = 2 * 1024 ** 3

export const plainProcess = (limitWatch: LimitWatch, prlimit = findPrlimit()): Runtime => ({
  name: 'process',
  listenOn: '127.0.0.1:0',
  interpreter: (_language, hostPath) => hostPath,
  start: async ({ processId, folders, command, env, limits }) => {
    const child = startSessionChild({
      processId,
      command: [...limitPrefix(limits, prlimit), ...command(folders)],
      cwd: folders.code,
      env: env(folders),
      limits,
      limitWatch,
    })
    return { ...child, inside: folders, endpoint: (port) => ({ host: '127.0.0.1', port }) }
  },
})

export const limitPrefix = (limits: ProcessLimits, prlimit: string | undefined): string[] =>
  prlimit === undefined ? [] : [prlimit, '--core=0', `--data=${limits.memoryBytes + reservedBytes}`, '--']

export const findPrlimit = (): string | undefined =>
  ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path))
