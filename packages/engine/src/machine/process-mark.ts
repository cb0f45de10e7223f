// How processes of an app are known that left their session, their parents and their environment behind: each carries a hard
// limit with a number of its own, which is handed down to whatever it starts and which nobody but root can raise again. It is
// the limit on computing in real time: unprivileged programs cannot do that, so it limits nothing, and anybody may read it.
// A program that lowers its own limit is lost from sight; only a sandbox holds one that means to hide.

import { spawnSync } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

const marksPerPlace = 2 ** 16

export type ProcessMarks = {
  next: () => number
  /** Of this engine, also of an earlier life of it. */
  owns: (mark: number) => boolean
}

/** `place`: what tells this engine from others on the machine. */
export const processMarks = (place: string): ProcessMarks => {
  // Microseconds: more than four years.
  const first = (2 ** 31 + (createHash('sha256').update(place).digest().readUInt32BE() >>> 1)) * marksPerPlace
  let latest = randomInt(marksPerPlace)
  return {
    next: () => {
      latest = (latest + 1) % marksPerPlace
      return first + latest
    },
    owns: (mark) => mark >= first && mark < first + marksPerPlace,
  }
}

export const findPrlimit = (): string | undefined =>
  ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path))

export const markOption = (mark: number): string => `--rttime=${mark}`

/** Some kernels know the limit and let nobody set it. */
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
