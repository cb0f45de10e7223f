// Apps as ordinary processes of the engine's user. Limits are the kernel's where it has suitable ones (through
// `prlimit`), and the engine's own sampling everywhere. It keeps honest apps apart, it does not cage hostile ones:
// for those there are bubblewrap and containers.

import { newId } from '@millrace/contract/ids'
import type { LimitWatch } from '../machine/limit-watch.ts'
import { canMark, findPrlimit, markOption, type ProcessMarks, processMarks } from '../machine/process-mark.ts'
import { readProcessTable } from '../machine/process-table.ts'
import { startSessionChild } from './child-process.ts'
import type { ProcessLimits, Runtime } from './runtime.ts'

// Interpreters reserve writable memory long before they use it; the hard limit leaves room for that.
const reservedBytes = 2 * 1024 ** 3

export const plainProcess = (limitWatch: LimitWatch, marks: ProcessMarks = processMarks(newId())): Runtime => {
  const prlimit = findPrlimit()
  const marking = canMark(prlimit)
  return {
    name: 'process',
    listenOn: '127.0.0.1:0',
    interpreter: (_language, hostPath) => hostPath,
    inside: (folders) => folders,
    scratch: [],
    start: async ({ processId, folders, command, env, workFolder, limits }) => {
      const mark = marking ? marks.next() : undefined
      const child = startSessionChild({
        processId,
        mark,
        command: [...limitPrefix(limits, prlimit, mark), ...command(folders)],
        cwd: workFolder?.(folders) ?? folders.code,
        env: env(folders),
        limits,
        limitWatch,
      })
      return { ...child, inside: folders, endpoint: async (port) => ({ host: '127.0.0.1', port }) }
    },
  }
}

// The kernel counts all threads of a user, wherever they run, and never limits root: so the ceiling starts from what
// already runs, and is there to stop an explosion between two samples.
const threadsPerProcess = 16

export const limitPrefix = (
  limits: ProcessLimits,
  prlimit: string | undefined,
  mark?: number,
  host = hostFacts(),
): string[] => {
  if (prlimit === undefined) return []
  const ceiling = host.threads + limits.processes * threadsPerProcess
  return [
    prlimit,
    '--core=0',
    `--data=${limits.memoryBytes + reservedBytes}`,
    ...(host.root ? [] : [`--nproc=${ceiling}`]),
    ...(mark === undefined ? [] : [markOption(mark)]),
    '--',
  ]
}

const hostFacts = (): { root: boolean; threads: number } => {
  const root = process.getuid?.() === 0
  return { root, threads: root ? 0 : readProcessTable().reduce((sum, entry) => sum + entry.threads, 0) }
}
