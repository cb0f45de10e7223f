// Guarantees: an idle process may neither use the processor nor keep too much memory, and one within its limits is not
// ended.

import { expect, test } from 'vitest'
import { startSessionChild } from '../runtimes/child-process.ts'
import { createLimitWatch } from './limit-watch.ts'

const limits = { memoryBytes: 4e9, processes: 64, idleMemoryBytes: 150e6, idleCpuShare: 0.1 }

const start = (script: string, change: Partial<typeof limits> = {}) =>
  startSessionChild({
    processId: `limit-watch-${Math.random()}`,
    command: [process.execPath, '-e', script],
    cwd: '/',
    env: {},
    limits: { ...limits, ...change },
    limitWatch: createLimitWatch({ workingMs: 50, idleMs: 200 }),
  })

const ended = async (child: ReturnType<typeof start>) => (await child.exited).overLimit

test('[E50] a process that keeps computing after its call is ended', async () => {
  const child = start('setInterval(() => { const until = Date.now() + 40; while (Date.now() < until); }, 60)')
  expect(await ended(child)).toBe('the app kept the processor busy between tasks')
})

test('[E50] a process whose children compute after its call is ended', async () => {
  const child = start(
    "setInterval(() => require('node:child_process').execFile('sh', ['-c', 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done']), 50)",
  )
  expect(await ended(child)).toBe('the app kept the processor busy between tasks')
})

test('[E50] a process that keeps too much memory after its call is ended', async () => {
  const child = start('globalThis.held = Buffer.alloc(200e6, 1); setInterval(() => {}, 1000)', { idleCpuShare: 100 })
  expect(await ended(child)).toBe('memory limit of 150 MB between tasks exceeded')
})

test('[E50] during a call both are allowed; a quiet process is not ended', async () => {
  const busy = start(
    'globalThis.held = Buffer.alloc(200e6, 1); setTimeout(() => {}, 1500); for (let i = 0; i < 8e8; i++);',
  )
  const done = busy.work()
  // Starting takes processor time: on a slow machine as long as two samples.
  const quiet = start("process.stdout.write('up'); setTimeout(() => process.exit(5), 1500)", { idleCpuShare: 0.9 })
  const started = quiet.work()
  quiet.stdout.once('data', started)
  expect(await busy.exited).toEqual({ code: 0, signal: null })
  done()
  expect(await quiet.exited).toEqual({ code: 5, signal: null })
})
