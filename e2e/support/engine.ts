// Engines as processes: the embedded one, found by its files, and additional ones with their own configuration.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../packages/engine/src/main.mjs', import.meta.url))

/** The process of the embedded engine; null if there is none. */
export const localEnginePid = async (dataDir: string): Promise<number | null> => {
  const text = await readFile(join(dataDir, 'engine', 'engine.pid'), 'utf8').catch(() => '')
  const pid = /"pid":(\d+)/.exec(text)?.[1]
  return pid !== undefined && (await parentOf(Number(pid))) !== null ? Number(pid) : null
}

/** The persistent folder of an app for a workspace on the embedded engine. */
export const folderKeptBy = (app: { id: string }, { dataDir, teamId }: { dataDir: string; teamId: string }): string =>
  dataFolder(join(dataDir, 'engine', 'work'), app, teamId)

const dataFolder = (cachePath: string, app: { id: string }, teamId: string): string =>
  join(cachePath, 'apps', app.id, teamId, 'data')

/** Direct children of a process; the children of an engine are its app processes. */
export const childrenOf = async (pid: number): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(pids.map(parentOf))
  return pids.filter((_, index) => parents[index] === pid)
}

const parentOf = async (pid: number): Promise<number | null> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  if (/^State:\s+Z/m.test(status)) return null
  const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1]
  return parent === undefined ? null : Number(parent)
}

export type EngineProcess = {
  readonly pid: number
  /** Contains its configuration and all its data. */
  readonly folder: string
  /** The persistent folder of an app for a workspace on this engine. */
  dataOf(app: { id: string }, teamId: string): string
  signal(name: NodeJS.Signals): void
  output(): string
  remove(): Promise<void>
}

export type EngineSettings = {
  api_url: string
  api_key: string
  name: string
  cpuWorkers: number
  allow_private_hosts?: string
}

export const startEngineProcess = async ({ cpuWorkers, ...settings }: EngineSettings): Promise<EngineProcess> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-e2e-engine-'))
  const config = join(folder, 'engine.yml')
  const cachePath = join(folder, 'cache')
  const values = { ...settings, workers: { cpu: { count: cpuWorkers } }, cache_path: cachePath }
  await writeFile(config, JSON.stringify(values), { mode: 0o600 })
  const child = spawn(process.execPath, [program, '--config', config], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  if (child.pid === undefined) throw new Error('The engine program could not be started')
  return {
    pid: child.pid,
    folder,
    dataOf: (app, teamId) => dataFolder(cachePath, app, teamId),
    signal: (name) => void child.kill(name),
    output: () => output,
    remove: async () => {
      await end(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGCONT')
  child.kill('SIGKILL')
  await ended
}
