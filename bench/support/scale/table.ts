// Measures runs and reads per second for several numbers of servers and workers on one machine, and the processor time
// of each part per run. The program of the packed tree (pack.ts). SCALE_SECONDS sets the length of a measurement,
// SCALE_SERVERS and SCALE_WORKERS the sizes.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { cpuMs } from '../cpu.ts'
import { type CallerJob, type CallerResult, serveCallerJob } from './caller.ts'
import { headersOf, openStage, type Stage, type StageOptions } from './stage.ts'

const numbers = (name: string, otherwise: readonly number[]): readonly number[] =>
  process.env[name]?.split(',').map(Number) ?? otherwise

const seconds = Number(process.env.SCALE_SECONDS ?? 5)
const serverCounts = numbers('SCALE_SERVERS', availableParallelism() > 4 ? [1, 2, 3, 4, 6] : [1, 2])
const workerCounts = numbers('SCALE_WORKERS', availableParallelism() > 4 ? [16, 64] : [4])
const callers = Number(process.env.SCALE_CALLERS ?? (availableParallelism() > 4 ? 128 : 32))
const engines = availableParallelism() > 4 ? 4 : 1

const runOf = (stage: Stage, isShared: boolean): CallerJob['targets'] =>
  stage.owners.flatMap((owner) =>
    stage.urls.map((url) => ({
      url,
      path: '/run',
      method: 'POST',
      headers: { ...headersOf(owner), accept: 'application/x-ndjson' },
      body: JSON.stringify({
        app: 'millrace/echo',
        infra: isShared ? 'cloud' : 'private',
        input: { hello: 'world' },
        stream: true,
      }),
    })),
  )

const readOf = (stage: Stage): CallerJob['targets'] =>
  stage.owners.flatMap((owner) =>
    stage.urls.map((url) => ({ url, path: '/me', method: 'GET', headers: headersOf(owner), body: '' })),
  )

/** One process of callers per server, so that callers are not the limit. */
const callFrom = async (processes: number, job: CallerJob): Promise<CallerResult> => {
  const results = await Promise.all(
    Array.from({ length: processes }, async (_, index): Promise<CallerResult> => {
      const child = fork(new URL(import.meta.url), ['caller'])
      const targets = [...job.targets.slice(index), ...job.targets.slice(0, index)]
      child.send({ ...job, targets, callers: Math.ceil(job.callers / processes) })
      const [result] = await once(child, 'message')
      return result as CallerResult
    }),
  )
  return {
    requests: results.reduce((sum, one) => sum + one.requests, 0),
    errors: results.reduce((sum, one) => sum + one.errors, 0),
    latenciesMs: results.flatMap((one) => one.latenciesMs).sort((a, b) => a - b),
  }
}

const sumOf = async (pids: readonly number[]): Promise<number> =>
  (await Promise.all(pids.map(cpuMs))).reduce<number>((sum, ms) => sum + (ms ?? 0), 0)

const used = async ({ pids }: Stage) => ({
  servers: await sumOf(pids.servers),
  postgres: await sumOf([pids.postgres]),
  engines: await sumOf(pids.engines),
})

const at = (times: readonly number[], share: number): string =>
  (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1)

const measure = async (options: StageOptions): Promise<void> => {
  const stage = await openStage(options)
  try {
    const runs = { targets: runOf(stage, options.isShared), callers, seconds }
    // Starts the apps and compiles the code that every run uses.
    await callFrom(options.servers, { ...runs, callers: Math.max(callers, options.workers * 2) })
    const before = await used(stage)
    const beganMs = performance.now()
    const done = await callFrom(options.servers, runs)
    const elapsed = (performance.now() - beganMs) / 1000
    const after = await used(stage)
    const reads = await callFrom(options.servers, { ...runs, targets: readOf(stage) })
    // The apps are children of their engines; the engines of the servers are children of the servers.
    const per = (part: keyof typeof after) => ((after[part] - before[part]) / done.requests).toFixed(2)
    console.log(
      `| ${options.servers} | ${options.workers} | ${options.workspaces} | ${(done.requests / elapsed).toFixed(0)} | ` +
        `${at(done.latenciesMs, 0.5)} / ${at(done.latenciesMs, 0.99)} | ${per('servers')} | ${per('postgres')} | ` +
        `${per('engines')} | ${(reads.requests / seconds).toFixed(0)} | ${done.errors + reads.errors} |`,
    )
  } finally {
    await stage.remove()
  }
}

const measureAll = async (): Promise<void> => {
  console.log(`${availableParallelism()} cores, ${callers} callers, ${seconds} s each; processor time in ms per run`)
  console.log(
    '| servers | workers | workspaces | runs/s | p50 / p99 ms | servers | PostgreSQL | engines and apps | GET /me per s | errors |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|')
  for (const workers of workerCounts)
    for (const servers of serverCounts) await measure({ servers, workers, engines, workspaces: 1, isShared: false })
  const [servers = 1, workers = 4] = [serverCounts, workerCounts].map((counts) =>
    Math.max(...counts.filter((n) => n !== 6)),
  )
  await measure({ servers, workers, engines, workspaces: 16, isShared: true })
}

if (process.argv[2] === 'caller') serveCallerJob()
else await measureAll()
