// Time from start to the first 200 on an existing data folder, and the idle memory of all processes together
// (proportional set size: shared pages are counted once).
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { median } from './support/load.ts'

const starts = 7

const first = await startServer()
await signIn(first.dataDir, 'bench@example.com', 'bench')
await sleep(5000)
await first.stop()

const family = (pid: number): number[] => {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, child, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return child === undefined ? [] : [{ pid: Number(child), parent: Number(parent), args: args ?? '' }]
    })
  const found = new Set<number>([pid])
  // The engine and PostgreSQL have their own process groups, but name the data folder in their arguments or descend
  // from a process that does.
  for (const { pid: own, args } of table) if (args.includes(first.dataDir)) found.add(own)
  for (let grew = true; grew; ) {
    const before = found.size
    for (const { pid: own, parent } of table) if (found.has(parent)) found.add(own)
    grew = found.size > before
  }
  found.delete(process.pid)
  return [...found]
}

const proportionalKib = (pid: number): number => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const times: number[] = []
try {
  for (let round = 0; round < starts; round += 1) {
    const before = performance.now()
    const server = await startServer({ dataDir: first.dataDir })
    const { status } = await fetch(`${server.url}/readyz`)
    if (status !== 200) throw new Error(`readyz answered ${status}`)
    times.push(performance.now() - before)
    if (round === starts - 1) {
      await sleep(10_000)
      const pids = family(server.pid)
      const parts = pids.map((pid) => ({ pid, kib: proportionalKib(pid) })).filter(({ kib }) => kib > 0)
      const total = parts.reduce((sum, { kib }) => sum + kib, 0)
      const server_ = parts.find(({ pid }) => pid === server.pid)?.kib ?? 0
      console.log(`start    ${Math.round(median(times))} ms to the first 200, median of ${starts} (aim ≤ 1,500)`)
      console.log(
        `memory   ${Math.round(total / 1024)} MB idle in ${parts.length} processes, server ${Math.round(server_ / 1024)} MB (aim ≤ 250)`,
      )
    }
    await server.stop()
  }
} finally {
  await first.remove()
}
