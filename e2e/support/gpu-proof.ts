// The proof of `npm run prove -- gpu`. On a machine with a card, a server without configuration runs a GPU app, apps share
// the card by declared memory, and a killed engine leaves nothing behind.
import { setTimeout as sleep } from 'node:timers/promises'
import yazl from 'yazl'
import { type Client, createClient } from './client.ts'
import { localEnginePid } from './engine.ts'
import { signIn } from './operator.ts'
import { type ServerProcess, startServer } from './server.ts'

export type Card = { readonly bytes: number; readonly used: () => Promise<number> }

export type GpuProof = {
  readonly card: Card
  readonly appSource: string
  /** Environment of the server. */
  readonly env: Readonly<Record<string, string>>
  readonly log: (line: string) => void
}

export type Finding = { readonly claim: string; readonly holds: boolean; readonly measured: string }

type Task = {
  id: string
  status: number
  output: { pid: number } | null
  error?: string
  gpu_memory_peak?: number
  queue_reason?: { code: string; message: string }
}

type Stage = GpuProof & { server: ServerProcess; client: Client; namespace: string }

const completed = 10
const ended = new Set([10, 11, 12])
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

/** Parts of the card, so that the proof fits cards of any size: on a card of 140 GB, 30 stands for 30 GB. */
const partOf = ({ card }: Pick<GpuProof, 'card'>, part: number): number => Math.floor((card.bytes * part) / 140)

const zipped = async (files: Readonly<Record<string, string>>): Promise<Buffer> => {
  const zip = new yazl.ZipFile()
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path)
  zip.end()
  const parts: Buffer[] = []
  for await (const part of zip.outputStream) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

const deploy = async ({ client, appSource }: Stage, name: string, vram: number): Promise<string> => {
  const bundle = await zipped({ 'inference.js': appSource, 'package.json': '{"type":"module"}' })
  const file = { uri: '', filename: `${name}.zip`, content_type: 'application/zip', size: bundle.length }
  const stored = (await client.call('POST /files', { files: [file] })).data as { uri: string; upload_url: string }[]
  const { uri = '', upload_url: url = '' } = stored[0] ?? {}
  await fetch(url, { method: 'PUT', headers: { 'content-type': 'application/zip' }, body: new Uint8Array(bundle) })
  const resources = { gpu: { count: 1, type: 'nvidia', vram } }
  const made = await client.call('POST /apps', { name, version: { repository: uri, kernel: 'node-22', resources } })
  if (made.status !== 200) throw new Error(JSON.stringify(made))
  const { id } = made.data as { id: string }
  return id
}

const start = async ({ client }: Stage, app_id: string, input: object): Promise<Task> => {
  const { status, data } = await client.call('POST /run', { app_id, input })
  if (status !== 200) throw new Error(JSON.stringify(data))
  return data as Task
}

const read = async ({ client }: Stage, id: string): Promise<Task> =>
  (await client.call(`GET /tasks/${id}`)).data as Task

const until = async <T>(find: () => Promise<T | undefined>, what: string, limitMs = 120_000): Promise<T> => {
  const endAt = Date.now() + limitMs
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    if (Date.now() > endAt) throw new Error(`Not reached: ${what}`)
    await sleep(100)
  }
}

const endOf = (stage: Stage, { id }: Task): Promise<Task> =>
  until(async () => {
    const task = await read(stage, id)
    return ended.has(task.status) ? task : undefined
  }, `the end of run ${id}`)

const runApp = async (stage: Stage, app: string, input: object): Promise<Task & { ms: number }> => {
  const beganAt = performance.now()
  const task = await endOf(stage, await start(stage, app, input))
  if (task.status !== completed) throw new Error(`The run failed: ${task.error}`)
  return { ...task, ms: Math.round(performance.now() - beganAt) }
}

const openStage = async (proof: GpuProof, env: Record<string, string>, dataDir?: string): Promise<Stage> => {
  const server = await startServer({
    env: { RATE_LIMIT_RUN: '0', RATE_LIMIT_GET_TASK: '0', CONSOLE: 'false', ...proof.env, ...env },
    ...(dataDir !== undefined && { dataDir }),
  })
  const owner = await signIn(server.dataDir, 'gpu@example.com', 'gpu')
  const client = createClient(server.url, { token: owner.session_token, teamId: owner.team_id })
  return { ...proof, server, client, namespace: owner.namespace }
}

const holdMs = 2_500
const toleranceBytes = 2e8
/** The unit of `nvidia-smi`. */
const mebibyte = 2 ** 20

const showDefault = async (stage: Stage, app: string): Promise<Finding[]> => {
  const bytes = partOf(stage, 28)
  const offer = /^ {2}Engine +(.*)$/m.exec(stage.server.output())?.[1] ?? 'no line in the banner'
  const cold = await runApp(stage, app, { bytes, holdMs })
  const warm = await runApp(stage, app, { bytes })
  const peak = cold.gpu_memory_peak ?? 0
  return [
    { claim: 'the banner names the card', holds: /GPU worker/.test(offer), measured: offer },
    {
      claim: 'a GPU app runs without configuration, and stays warm',
      holds: cold.output?.pid === warm.output?.pid,
      measured: `cold ${cold.ms - holdMs} ms, warm ${warm.ms} ms`,
    },
    {
      claim: 'the peak of a run is recorded',
      holds: peak >= bytes - mebibyte && peak <= stage.card.bytes,
      measured: `${gigabytes(peak)} for an allocation of ${gigabytes(bytes)}`,
    },
  ]
}

const showSharing = async (stage: Stage, [one = '', two = '', large = '']: readonly string[]): Promise<Finding> => {
  let most = 0
  const sampling = new AbortController()
  const sampler = (async () => {
    while (!sampling.signal.aborted) {
      most = Math.max(most, await stage.card.used())
      await sleep(200)
    }
  })()
  const small = { bytes: partOf(stage, 28) }
  const first = await runApp(stage, one, small)
  const second = await runApp(stage, two, small)
  await runApp(stage, large, { bytes: partOf(stage, 97), holdMs })
  const kept = await runApp(stage, two, small)
  const again = await runApp(stage, one, small)
  sampling.abort()
  await sampler
  return {
    claim: 'two apps of 30 and one of 100 share the card; the least recently used one is ended',
    holds:
      kept.output?.pid === second.output?.pid && again.output?.pid !== first.output?.pid && most <= stage.card.bytes,
    measured: `at most ${gigabytes(most)} of ${gigabytes(stage.card.bytes)} used`,
  }
}

const showWaiting = async (stage: Stage, large: string): Promise<Finding> => {
  const bytes = partOf(stage, 97)
  const running = await start(stage, large, { bytes, forever: true })
  await until(async () => ((await read(stage, running.id)).status === 7 ? true : undefined), 'a running run')
  const waiting = await start(stage, large, { bytes })
  const { queue_reason: reason } = await read(stage, waiting.id)
  await stage.client.call(`POST /tasks/${running.id}/cancel`, {})
  const end = await endOf(stage, waiting)
  return {
    claim: 'a run that does not fit waits with that reason, and runs later',
    holds: reason?.code === 'gpu_room' && end.status === completed,
    measured: reason?.message ?? 'no reason',
  }
}

const showExcess = async (stage: Stage, small: string, other: string): Promise<Finding> => {
  const greedy = await start(stage, small, { bytes: partOf(stage, 100), forever: true })
  const logs = async () => JSON.stringify((await stage.client.call(`GET /tasks/${greedy.id}/logs`)).data)
  await until(async () => {
    const text = Buffer.from(/"content":"([^"]+)"/.exec(await logs())?.[1] ?? '', 'base64').toString()
    return text.includes('and declares') ? text : undefined
  }, 'a log line about the memory')
  await runApp(stage, other, { bytes: partOf(stage, 50) })
  const end = await endOf(stage, greedy)
  return {
    claim: 'an app that uses more than it declares is reported, and fails when another app needs the memory',
    holds: end.status === 11 && (end.error ?? '').startsWith('GPU memory limit exceeded'),
    measured: end.error ?? '',
  }
}

const showKill = async (stage: Stage, app: string): Promise<Finding> => {
  const bytes = partOf(stage, 28)
  const running = await start(stage, app, { bytes, forever: true })
  await until(async () => ((await stage.card.used()) >= bytes ? true : undefined), 'the allocation')
  const engine = await localEnginePid(stage.server.dataDir)
  if (engine === null) throw new Error('The engine does not run')
  process.kill(engine, 'SIGKILL')
  const beganAt = performance.now()
  await until(async () => ((await stage.card.used()) < bytes / 2 ? true : undefined), 'free memory after the kill')
  const freedMs = Math.round(performance.now() - beganAt)
  const end = await endOf(stage, running)
  return {
    claim: 'kill -9 of the engine during a run leaves no process and no memory behind',
    holds: end.status !== completed,
    measured: `memory free after ${freedMs} ms; the run: ${end.error ?? ''}`,
  }
}

const showTelemetry = async (stage: Stage, app: string): Promise<Finding> => {
  await runApp(stage, app, { bytes: partOf(stage, 28) })
  const [shown, real] = await until(async () => {
    const metrics = await (await fetch(`${stage.server.url}/metrics`)).text()
    const shown = Number(/^millrace_gpu_memory_used_bytes\{.*\} (\S+)$/m.exec(metrics)?.[1] ?? 0)
    const real = await stage.card.used()
    return Math.abs(shown - real) < toleranceBytes ? ([shown, real] as const) : undefined
  }, 'telemetry that agrees with nvidia-smi')
  return {
    claim: 'telemetry agrees with nvidia-smi',
    holds: true,
    measured: `${gigabytes(shown)} and ${gigabytes(real)}`,
  }
}

export const proveGpu = async (proof: GpuProof): Promise<Finding[]> => {
  const findings: Finding[] = []
  const add = (...more: Finding[]): void => {
    for (const finding of more) {
      findings.push(finding)
      proof.log(`${finding.holds ? 'ok  ' : 'FAIL'} ${finding.claim}: ${finding.measured}`)
    }
  }
  let stage = await openStage(proof, {})
  try {
    const apps = { one: '', two: '', other: '', large: '' }
    for (const [name, part] of Object.entries({ one: 30, two: 30, other: 60, large: 100 }))
      apps[name as keyof typeof apps] = await deploy(stage, name, partOf(stage, part))
    add(...(await showDefault(stage, apps.one)))
    add(await showSharing(stage, [apps.one, apps.two, apps.large]))
    await stage.server.stop()
    stage = await openStage(proof, { ENGINE_GPUS: '0,0' }, stage.server.dataDir)
    // First, because an idle app keeps memory that the greedy one could not allocate on a real card.
    add(await showExcess(stage, apps.one, apps.other))
    add(await showWaiting(stage, apps.large))
    add(await showKill(stage, apps.one))
    add(await showTelemetry(stage, apps.one))
  } finally {
    await stage.server.stop()
    await stage.server.remove()
  }
  return findings
}
