// One engine against one fake server, with helpers to publish apps and follow tasks. `close` stops everything and
// removes the temporary folder.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { type EngineToServer, fromBase64, type RunnableTask, type TaskFrame } from '@millrace/contract/engine-frames'
import { newId } from '@millrace/contract/ids'
import { type EngineConfig, readConfig } from '../config.ts'
import { type Engine, startEngine } from '../engine.ts'
import type { RawSettings } from '../engine-yml.ts'
import type { LinkTimes } from '../link/link.ts'
import type { Log } from '../log.ts'
import { type FakeServer, startFakeServer } from './fake-server.ts'
import type { StandInCard } from './nvidia-smi.ts'
import { writeZip, type ZipEntry } from './zip-writer.ts'

export type App = { app_id: string; app_version_id: string; repository: string; checksum: string; kernel: string }

export type World = {
  server: FakeServer
  engine: Engine
  config: EngineConfig
  // The engine's log entries.
  logEntries: { message: string; type?: unknown }[]
  root: string
  // Publishes files as a bundle: path to content.
  app: (files: Record<string, string>, kernel?: string) => App
  shippedApp: (name: string) => Promise<App>
  run: (app: App, task?: Partial<RunnableTask>, extra?: RunExtra) => FollowedTask
  // Waits until the app waits at its gate, and opens the gate.
  letGo: () => Promise<void>
  close: () => Promise<void>
}

export type RunExtra = { secrets?: string; socket?: { url: string; token: string } }

export type TaskEnd = { type: string; output?: unknown; error?: string }

export type FollowedTask = {
  id: string
  frames: () => TaskFrame[]
  types: () => string[]
  logs: (type?: number) => string
  outputs: () => unknown[]
  seen: (type: TaskFrame['type']) => Promise<TaskFrame>
  end: Promise<TaskEnd>
}

// Short times, so that retries and heartbeats happen within a test; the rules are about order, not duration.
const quickTimes: LinkTimes = {
  pingMs: 500,
  silenceMs: 60_000,
  repeatMs: 300,
  heartbeatMs: 200,
  telemetryMs: 500,
  redialMs: 30_000,
}

// Code for an app that waits until the test opens the gate. A file in the app's own folder is the closed gate.
export const waitAtGate = `{
  const { existsSync, writeFileSync } = await import('node:fs')
  const gate = process.env.MILLRACE_DATA_DIR + '/gate'
  writeFileSync(gate, '')
  while (existsSync(gate)) await new Promise((next) => setTimeout(next, 10))
}`

export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

const openGate = async (root: string): Promise<boolean> => {
  const gate = (await readdir(root, { recursive: true })).find((path) => basename(path) === 'gate')
  if (gate !== undefined) await rm(join(root, gate))
  return gate !== undefined
}

export type WorldOptions = {
  settings?: RawSettings
  times?: Partial<LinkTimes>
  workers?: number
  /** The cards of each GPU worker, of a stand-in for `nvidia-smi`. */
  gpuWorkers?: readonly (readonly StandInCard[])[]
  env?: Record<string, string>
  publicUrl?: string
}

export const startWorld = async (options: WorldOptions = {}): Promise<World> => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-engine-'))
  const server = await startFakeServer({
    workers: options.workers ?? 2,
    gpuWorkers: options.gpuWorkers ?? [],
    ...(options.publicUrl && { publicUrl: options.publicUrl }),
  })
  const config = testConfig(server, join(root, 'cache'), options)
  const logEntries: World['logEntries'] = []
  const log: Log = (_level, message, fields) => logEntries.push({ message, ...fields })
  const engine = await startEngine(config, { log, times: { ...quickTimes, ...options.times } })
  await server.connected()

  const app = (files: Record<string, string>, kernel = 'node-22'): App => ({
    app_id: newId(),
    app_version_id: newId(),
    kernel,
    ...server.bundleOf(files),
  })

  return {
    server,
    engine,
    config,
    logEntries,
    root,
    app,
    shippedApp: (name) => shippedAppOn(server, name),
    run: (published, task, extra) => runOn(server, published, task, extra),
    letGo: () => until(() => openGate(root)),
    close: async () => {
      await engine.stop()
      await server.close()
      await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}

export const testConfig = (
  server: Pick<FakeServer, 'url' | 'apiKey'>,
  cachePath: string,
  options: WorldOptions = {},
): EngineConfig =>
  readConfig(
    {
      ...{ api_url: server.url, api_key: server.apiKey, name: 'test', cache_path: cachePath },
      // With MILLRACE_TEST_RUNTIME=bubblewrap, the whole suite runs in a sandbox.
      runtime: process.env.MILLRACE_TEST_RUNTIME ?? 'process',
      ...options.settings,
    },
    {
      hostname: 'test',
      home: cachePath,
      hostEnv: { PATH: process.env.PATH ?? '', ...options.env },
      engineVersion: 'v0.0.0-test',
    },
  )

export const shippedFolder = (name: string): string => new URL(`../../../../apps/${name}`, import.meta.url).pathname

export const shippedAppOn = async (server: FakeServer, name: string): Promise<App> =>
  publish(server, await readFolder(shippedFolder(name)), await kernelOf(name))

const kernelOf = async (name: string): Promise<string> => {
  const manifest = await readFile(join(shippedFolder(name), 'inf.yml'), 'utf8')
  return /^kernel:\s*(\S+)/m.exec(manifest)?.[1] ?? ''
}

const publish = (server: FakeServer, entries: ZipEntry[], kernel: string): App => ({
  app_id: newId(),
  app_version_id: newId(),
  kernel,
  ...server.bundle(writeZip(entries)),
})

const readFolder = async (folder: string): Promise<ZipEntry[]> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async (path) => ({ name: relative(folder, path), content: await readFile(path) })))
}

export const runOn = (
  server: FakeServer,
  app: App,
  task: Partial<RunnableTask> = {},
  extra: RunExtra = {},
): FollowedTask => {
  const id = task.id ?? newId()
  const isOurs = (frame: EngineToServer): frame is TaskFrame => 'task_id' in frame.data && frame.data.task_id === id
  const frames = () => server.frames.filter(isOurs)
  const when = (wanted: (frame: TaskFrame) => boolean): Promise<TaskFrame> =>
    new Promise((resolve) => {
      const known = frames().find(wanted)
      if (known) return resolve(known)
      const stop = server.onFrame((frame) => {
        if (!isOurs(frame) || !wanted(frame)) return
        stop()
        resolve(frame)
      })
    })
  server.send({
    type: 'task_run',
    data: { task: { id, attempt: 1, input: {}, worker_id: 'worker-0', ...app, ...task }, ...extra },
  })
  return {
    id,
    frames,
    types: () => frames().map((frame) => frame.type),
    logs: (type) =>
      frames()
        .flatMap((frame) =>
          frame.type === 'task_log' && (type === undefined || frame.data.log_type === type)
            ? [fromBase64(frame.data.logs)]
            : [],
        )
        .join(''),
    outputs: () =>
      frames().flatMap((frame) => (frame.type === 'task_progress' ? [JSON.parse(fromBase64(frame.data.output))] : [])),
    seen: (type) => when((frame) => frame.type === type),
    end: when((frame) =>
      ['task_completed', 'task_failed', 'task_cancelled', 'task_rejected'].includes(frame.type),
    ).then(describeEnd),
  }
}

const describeEnd = (frame: TaskFrame): TaskEnd => {
  if (frame.type === 'task_completed') return { type: frame.type, output: JSON.parse(fromBase64(frame.data.output)) }
  if (frame.type === 'task_failed') return { type: frame.type, error: frame.data.error ?? '' }
  return { type: frame.type, ...(frame.type === 'task_rejected' && { error: frame.data.reason }) }
}
