// Apps as ordinary processes of the engine's user. The kernel enforces limits where it can (through `prlimit`), and the
// engine samples the others. This separates well-behaved apps but does not contain hostile ones; use bubblewrap or
// containers for those.

import { readFileSync } from 'node:fs'
import { newId } from '@millrace/contract/ids'
import { type ControlGroups, threadsPerProcess } from '../machine/control-groups.ts'
import type { LimitWatch } from '../machine/limit-watch.ts'
import { canMark, findPrlimit, markOption, type ProcessMarks, processMarks } from '../machine/process-mark.ts'
import { readProcessTable } from '../machine/process-table.ts'
import { startSessionChild } from './child-process.ts'
import type { ProcessLimits, Runtime } from './runtime.ts'
import { shortTemporary } from './short-temporary.ts'

// Interpreters reserve writable memory long before they use it; the hard limit allows for that.
const reservedBytes = 2 * 1024 ** 3

export type PlainOptions = { limitWatch: LimitWatch; marks?: ProcessMarks; groups?: ControlGroups | undefined }

export const plainProcess = ({ limitWatch, marks = processMarks(newId()), groups }: PlainOptions): Runtime => {
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
      const values = env(folders)
      const temporary = await shortTemporary(folders.tmp)
      const child = startSessionChild({
        processId,
        mark,
        command: [...limitPrefix(limits, prlimit, mark), ...command(folders)],
        cwd: workFolder?.(folders) ?? folders.code,
        env: values.TMPDIR === folders.tmp ? { ...values, TMPDIR: temporary.path } : values,
        limits,
        limitWatch,
        groups,
      })
      void child.exited.then(temporary.remove)
      return { ...child, inside: folders, endpoint: async (port) => ({ host: '127.0.0.1', port }) }
    },
  }
}

// The kernel counts all threads of a user on the machine and never limits root. So the limit is added to the current
// count; it stops a fork bomb between two samples.
export const limitPrefix = (
  limits: ProcessLimits,
  prlimit: string | undefined,
  mark?: number,
  given?: HostFacts,
): string[] => {
  if (prlimit === undefined) return []
  const host = given ?? hostFacts()
  const ceiling = Math.min(host.threads + limits.processes * threadsPerProcess, host.maxThreads)
  return [
    prlimit,
    '--core=0',
    `--data=${limits.memoryBytes + reservedBytes}`,
    ...(host.root ? [] : [`--nproc=${ceiling}`]),
    ...(mark === undefined ? [] : [markOption(mark)]),
    '--',
  ]
}

type HostFacts = { root: boolean; threads: number; maxThreads: number }

const hostFacts = (): HostFacts => {
  if (process.getuid?.() === 0) return { root: true, threads: 0, maxThreads: Number.POSITIVE_INFINITY }
  const threads = readProcessTable().reduce((sum, entry) => sum + entry.threads, 0)
  return { root: false, threads, maxThreads: maxThreads(readFileSync('/proc/self/limits', 'utf8')) }
}

/** The hard limit of this user. Asking for more fails, and the app would not start. */
export const maxThreads = (limits: string): number => {
  const [, most] = limits.match(/^Max processes +\S+ +(\d+)/m) ?? []
  return most === undefined ? Number.POSITIVE_INFINITY : Number(most)
}
