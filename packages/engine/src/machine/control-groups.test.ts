// Guarantees: the kernel enforces the limits of an app and its descendants, during and between calls, and no process
// outlives its group. Uses real groups of this host's cgroup version; skipped where none can be created. The limit
// watch of these tests never samples, so every effect comes from the kernel.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { silentLog } from '../log.ts'
import { chooseRuntime } from '../runtimes/choose.ts'
import type { AppFolders, ProcessLimits, Runtime } from '../runtimes/runtime.ts'
import { type Controller, findLocation, findOwnLocation } from './control-group-location.ts'
import { controlGroupsIn, findControlGroups } from './control-groups.ts'
import { createLimitWatch } from './limit-watch.ts'

const engineId = `control-groups-test-${process.pid}`
const limits: ProcessLimits = { memoryBytes: 4e9, processes: 64, idleMemoryBytes: 4e9, idleCpuShare: 0.1 }

const groups = findControlGroups(silentLog)
await groups?.claim(engineId)
// A new run of the same engine finds the remains.
afterAll(() => groups?.claim(engineId))

const never = 2 ** 31 - 1
const find = (setting: 'process' | 'bubblewrap'): Runtime | undefined => {
  try {
    return chooseRuntime({
      ...{ setting, groups, readOnly: [], hostEnv: { PATH: process.env.PATH ?? '' } },
      limitWatch: createLimitWatch({ workingMs: never, idleMs: never }),
    })
  } catch {
    return undefined
  }
}

const alive = (line: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === line
      } catch {
        return false
      }
    })
    .map(Number)

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(20)
}

/** Unique for each test: no other process on the machine sleeps this long. */
let seconds = 200_000 + process.pid * 20
const waiting = () => {
  seconds += 1
  return { command: `sleep ${seconds}`, line: `sleep\0${seconds}\0` }
}

const root = mkdtempSync(join(tmpdir(), 'millrace-groups-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const folder = (name: string) => {
  mkdirSync(join(root, name), { recursive: true })
  return join(root, name)
}
const folders = Object.fromEntries(
  ['bundle', 'code', 'environment', 'files', 'data', 'tmp', 'cache'].map((name) => [name, folder(name)]),
) as AppFolders

for (const setting of ['process', 'bubblewrap'] as const) {
  const runtime = groups && find(setting)
  describe.skipIf(!runtime)(`an app in the ${setting} runtime, in ${groups?.found ?? 'no control groups'}`, () => {
    const start = async (command: (inside: AppFolders) => string[], change: Partial<ProcessLimits> = {}) => {
      if (!runtime) throw new Error('not on this host')
      const running = await runtime.start({
        processId: `app-${Math.random().toString(36).slice(2)}`,
        purpose: 'app',
        kernel: { language: 'node', version: '22' },
        folders,
        command,
        env: () => ({ PATH: process.env.PATH ?? '' }),
        limits: { ...limits, ...change },
        gpuIds: [],
        readOnly: [process.execPath],
      })
      let said = ''
      for (const stream of [running.stdout, running.stderr])
        stream.on('data', (chunk) => {
          said += chunk
        })
      return { ...running, said: () => said }
    }
    const counting = (controller: Controller) => test.skipIf(!groups?.found.includes(controller))
    const shell = (script: string) => () => ['/bin/sh', '-c', script]
    const node = (script: string) => () => [process.execPath, '-e', script]

    counting('memory')('[E25] has one memory for all of its processes together', async () => {
      // Each is well within the limit. When one is killed, its parent ends too.
      const child = 'process.send(Buffer.alloc(60e6, 1).length); setInterval(() => {}, 1000)'
      const { exited, work } = await start(
        node(`const { spawn } = require('node:child_process')
          for (let i = 0; i < 6; i++) spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: [0, 1, 2, 'ipc'] })
            .on('exit', () => process.exit(9))`),
        { memoryBytes: 250e6 },
      )
      work()
      expect((await exited).overLimit).toBe('memory limit of 250 MB exceeded')
    })

    counting('pids')('[E25] cannot start processes without end', async () => {
      const sleeper = waiting()
      const app = await start(shell(`while ${sleeper.command} & do :; done`), { processes: 2 })
      // The shell gives up at the first failed fork.
      await until(() => /fork/i.test(app.said()))
      expect(alive(sleeper.line).length).toBeLessThanOrEqual(32)
      await app.kill()
      expect(alive(sleeper.line)).toEqual([])
    })

    test('[E25] leaves no process behind, even one that left session, parents, environment and mark', async () => {
      const sleeper = waiting()
      const hidden = `env -i setsid sh -c "prlimit --rttime=1:1 ${sleeper.command} & exit 0"`
      const app = await start(shell(`${hidden}; sleep 600`))
      await until(() => alive(sleeper.line).length === 1)
      await app.kill()
      expect(alive(sleeper.line)).toEqual([])
    })

    counting('cpu')('[E50] is throttled between two calls and released at the next', async () => {
      const app = await start(shell('while :; do :; done'))
      const group = () => groupWith('cpu.stat')
      const throttled = () => Number(/^nr_throttled (\d+)/m.exec(readFileSync(join(group(), 'cpu.stat'), 'utf8'))?.[1])
      app.work()()
      await until(() => throttled() > 0)
      app.work()
      expect(quotaOf(group())).toMatch(/^(-1|max 100000)$/)
      await app.kill()
    })

    counting('memory')('[E50] has less memory between two calls', async () => {
      const go = join(folders.tmp, 'go')
      rmSync(go, { force: true })
      const app = await start(
        (inside) => [
          ...[process.execPath, '-e'],
          `const look = () => require('node:fs').existsSync('${inside.tmp}/go') ? (globalThis.held = Buffer.alloc(600e6, 1)) : setTimeout(look, 20); look()`,
        ],
        { idleMemoryBytes: 300e6 },
      )
      app.work()()
      await until(() => Number(readFileSync(join(groupWith(memoryFile), memoryFile), 'utf8')) < 1e9)
      writeFileSync(go, '')
      expect((await app.exited).overLimit).toBe('memory limit of 300 MB between tasks exceeded')
    })
  })
}

describe.skipIf(!groups)('remains of a killed engine', () => {
  test('[E25] end at the next start of the engine, and no others do', async () => {
    const [mine, other] = [waiting(), waiting()]
    const others = findControlGroups(silentLog)
    await others?.claim(`other-${engineId}`)
    const left = [groups?.create('left', limits), others?.create('left', limits)]
    for (const [index, { command }] of [mine, other].entries()) {
      const [program = '', ...args] = [...(left[index]?.enter ?? []), ...command.split(' ')]
      spawn(program, args, { stdio: 'ignore', detached: true })
    }
    await until(() => alive(mine.line).length + alive(other.line).length === 2)
    await groups?.claim(engineId)
    expect([alive(mine.line).length, alive(other.line).length]).toEqual([0, 1])
    await left[1]?.remove()
    expect(alive(other.line)).toEqual([])
  })
})

describe('in the other cgroup version', () => {
  test('[E25] [E50] the same limits are written', () => {
    const base = folder('v2')
    const group = folder('v2/e.app')
    const files = [
      'memory.max',
      'memory.swap.max',
      'memory.oom.group',
      'memory.current',
      'memory.events',
      'pids.max',
      'cpu.max',
    ]
    for (const name of files) writeFileSync(join(group, name), '')
    writeFileSync(join(base, 'cgroup.controllers'), 'cpuset cpu io memory pids')
    writeFileSync(join(base, 'cgroup.subtree_control'), 'cpu memory pids')
    const found = findLocation([{ counts: [''], own: join(base, 'millrace'), unified: true }])
    if (!found) throw new Error('no location')
    const unified = controlGroupsIn(found, silentLog)
    expect(unified.found).toBe('v2: memory, pids, cpu')
    const made = unified.create('e.app', { memoryBytes: 1e9, processes: 4, idleMemoryBytes: 2e8, idleCpuShare: 0.1 })
    const written = () =>
      Object.fromEntries(files.map((name) => [name, readFileSync(join(group, name), 'utf8').slice(0, 12)]))
    expect(made?.enter.at(-2)).toBe(join(group, 'cgroup.procs'))
    expect(made?.overLimit()).toBeUndefined()
    expect(written()).toMatchObject({ 'memory.max': '1000000000', 'memory.swap.max': '0', 'memory.oom.group': '1' })
    expect(written()).toMatchObject({ 'pids.max': '64', 'cpu.max': 'max 100000' })
    writeFileSync(join(group, 'memory.current'), '100000000')
    made?.applyIdleLimits()
    expect(written()['memory.max']).toMatch(/^200000000/)
    expect(written()['cpu.max']).toMatch(/^20000 100000/)
    writeFileSync(join(group, 'memory.events'), 'low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\noom_group_kill 1\n')
    expect(made?.overLimit()).toBe('memory limit of 200 MB between tasks exceeded')
    made?.wake()
    expect(made?.overLimit()).toBe('memory limit of 1000 MB exceeded')
  })
})

const location = findOwnLocation()
const memoryFile = location?.dialect.memoryLimit ?? ''

/** Of this file's engine, which runs one app at a time. */
const groupWith = (file: string): string => {
  for (const base of new Set(Object.values(location?.folders ?? {})))
    for (const name of readdirSync(base))
      if (name.startsWith(engineId) && existsSync(join(base, name, file))) return join(base, name)
  throw new Error(`no group has ${file}`)
}

const quotaOf = (group: string): string => {
  const file = join(group, location?.dialect.processor(undefined)[0] ?? '')
  return readFileSync(file, 'utf8').trim()
}
