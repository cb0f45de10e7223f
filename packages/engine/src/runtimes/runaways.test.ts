// Guarantees: without a sandbox, too, every process that an app started counts against its limits and ends with it,
// even if it left its session and parents and cleared its environment. Skipped where processes cannot be marked.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { killOrphans } from '../host-setup.ts'
import { silentLog } from '../log.ts'
import { createLimitWatch } from '../machine/limit-watch.ts'
import { canMark, findPrlimit, processMarks } from '../machine/process-mark.ts'
import { plainProcess } from './plain-process.ts'

const place = `runaways-${process.pid}`
const limits = { memoryBytes: 4e9, processes: 64, idleMemoryBytes: 4e9, idleCpuShare: 10 }
const folders = { bundle: '/', code: '/', environment: '/', files: '/', data: '/', tmp: '/', cache: '/' }

/** Processes that sleep this long belong to one test. */
const waiting = (seconds: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`
      } catch {
        return false
      }
    })
    .map(Number)

/** In its own session, without a parent, with an empty environment. */
const runaway = (seconds: number) => `env -i setsid sh -c "sleep ${seconds} & exit 0"`

describe.skipIf(!canMark(findPrlimit()))('a process that leaves its session', () => {
  const all: number[] = []
  const lengthOfTest = (): number => {
    const seconds = 100_000 + process.pid * 10 + all.length
    all.push(seconds)
    return seconds
  }
  afterAll(() => {
    for (const pid of all.flatMap(waiting)) process.kill(pid, 'SIGKILL')
  })

  const start = (script: string, change: Partial<typeof limits> = {}) =>
    plainProcess({
      limitWatch: createLimitWatch({ workingMs: 50, idleMs: 50 }),
      marks: processMarks(place),
    }).start({
      processId: `runaway-${Math.random()}`,
      purpose: 'app',
      kernel: { language: 'node', version: '22' },
      folders,
      command: () => ['/bin/sh', '-c', script],
      env: () => ({ PATH: process.env.PATH ?? '' }),
      limits: { ...limits, ...change },
      gpuIds: [],
      readOnly: [],
    })

  const begun = async (seconds: number) => {
    while (waiting(seconds).length === 0) await sleep(20)
  }

  test('[E25] ends when the app is killed', async () => {
    const seconds = lengthOfTest()
    const running = await start(`${runaway(seconds)}; sleep 600`)
    await begun(seconds)
    await running.kill()
    expect(waiting(seconds)).toEqual([])
  })

  test('[E25] ends when the app exits', async () => {
    const seconds = lengthOfTest()
    const running = await start(`${runaway(seconds)}; sleep 0.2; exit 3`)
    expect(await running.exited).toEqual({ code: 3, signal: null })
    expect(waiting(seconds)).toEqual([])
  })

  test('[E25] counts against the limits', async () => {
    const seconds = lengthOfTest()
    const running = await start(`for i in 1 2 3 4 5 6 7 8; do ${runaway(seconds)}; done; sleep 600`, { processes: 6 })
    expect((await running.exited).overLimit).toBe('limit of 6 processes exceeded')
    expect(waiting(seconds)).toEqual([])
  })

  test('[E25] of an earlier run of the engine ends at the next start', async () => {
    const seconds = lengthOfTest()
    const running = await start(`${runaway(seconds)}; sleep 600`)
    await begun(seconds)
    killOrphans('of no engine', processMarks('elsewhere'), silentLog)
    expect(waiting(seconds)).toHaveLength(1)
    killOrphans('of no engine', processMarks(place), silentLog)
    expect((await running.exited).signal).toBe('SIGKILL')
    expect(waiting(seconds)).toEqual([])
  })
})
