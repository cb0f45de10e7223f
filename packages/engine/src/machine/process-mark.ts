// Identifies processes of an app that left their session and parents and cleared their environment. Each process has a
// hard resource limit with a distinctive value, which children inherit and only root can raise. The resource is
// RLIMIT_RTTIME: unprivileged programs cannot use real-time scheduling, so it restricts nothing, and every user may
// read it. A program that lowers its own limit is no longer found; only a sandbox contains hostile programs.

import { spawnSync } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

const marksPerEngine = 2 ** 16

export type ProcessMarks = {
  next: () => number
  /** Whether the mark belongs to this engine, including earlier runs. */
  owns: (mark: number) => boolean
}

/** `engine`: a name that distinguishes this engine from others on the machine. */
export const processMarks = (engine: string): ProcessMarks => {
  // In microseconds: more than four years.
  const first = (2 ** 31 + (createHash('sha256').update(engine).digest().readUInt32BE() >>> 1)) * marksPerEngine
  let latest = randomInt(marksPerEngine)
  return {
    next: () => {
      latest = (latest + 1) % marksPerEngine
      return first + latest
    },
    owns: (mark) => mark >= first && mark < first + marksPerEngine,
  }
}

export const findPrlimit = (): string | undefined =>
  ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path))

export const markOption = (mark: number): string => `--rttime=${mark}`

/** Some kernels report the limit but do not allow setting it. */
export const canMark = (prlimit: string | undefined): prlimit is string =>
  prlimit !== undefined &&
  spawnSync(prlimit, [markOption(2 ** 48 - 1), 'true'], { stdio: 'ignore', timeout: 10_000 }).status === 0

export const readMark = (pid: number): number | undefined => {
  try {
    const hard = /^Max realtime timeout\s+\S+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]
    return hard === undefined ? undefined : Number(hard)
  } catch {
    return undefined
  }
}
