// Runs one step of an installer to its end, in the app's runtime and within the same limits. Emits its output line by
// line and keeps the last lines for an error message.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '@millrace/contract/ids'
import { splitLines } from '../app-process/log-lines.ts'
import { TaskFailure, TaskStopped } from '../failures.ts'
import { removeFolder } from '../files/safe-open.ts'
import { crossedDiskLimit, type DiskLimits, watchDisk } from '../machine/disk-watch.ts'
import type { AppFolders, RunningProcess } from '../runtimes/runtime.ts'
import { type CommandResult, type EnvironmentHost, type EnvironmentRequest, environmentFolder } from './environment.ts'
import { installerSettings } from './installer-settings.ts'
import { createProgressReporter } from './progress.ts'

const retainedLines = 50
const timeoutMs = 15 * 60_000

export type InstallStep = {
  command: (inside: AppFolders) => string[]
  workFolder: (inside: AppFolders) => string
  readOnly: readonly string[]
}

export const runInstaller = async (
  { bundle, kernel, signal, onLine }: EnvironmentRequest,
  { env, runtime, limits, diskLimits, scratchRoot }: EnvironmentHost,
  step: InstallStep,
): Promise<CommandResult> => {
  const processId = newId()
  const scratch = join(scratchRoot, `install-${processId}`)
  const folders = installFolders(bundle, scratch)
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true })
  const settings = await installerSettings(env, runtime.name)
  const { store, lastLines } = tailOf(onLine)
  try {
    signal.throwIfAborted()
    const running = await runtime.start({
      processId,
      purpose: 'install',
      kernel,
      folders,
      command: step.command,
      workFolder: step.workFolder,
      env: (inside) => ({ ...settings.env(inside), TMPDIR: inside.tmp, PYTHONSAFEPATH: '1' }),
      limits,
      gpuIds: [],
      readOnly: [...step.readOnly, ...settings.readOnly],
    })
    const workEnded = running.work()
    readOutput(running, store)
    const stop = () => void running.kill()
    const overDisk = boundDisk(running, [bundle, folders.environment, scratch], diskLimits)
    const timer = setTimeout(() => {
      store(`stopped after ${timeoutMs / 60_000} minutes`)
      stop()
    }, timeoutMs)
    signal.addEventListener('abort', stop, { once: true })
    const exit = await running.exited
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    workEnded()
    const tooMuch = await overDisk()
    if (signal.aborted) throw new TaskStopped('stopped')
    if (exit.overLimit) store(exit.overLimit)
    if (tooMuch !== undefined) throw await discardInstallation([bundle, folders.environment], tooMuch)
    return { code: exit.code ?? 1, lastLines }
  } finally {
    await removeFolder(scratch)
  }
}

// Partial output would otherwise remain until the bundle expires from the cache.
const discardInstallation = async (folders: readonly string[], reason: string): Promise<TaskFailure> => {
  for (const folder of folders) await removeFolder(folder)
  return new TaskFailure(`the packages of this app could not be installed: ${reason}`)
}

const readOutput = ({ stdout, stderr }: RunningProcess, line: (text: string) => void): void => {
  for (const stream of [stdout, stderr]) {
    stream.on('data', splitLines('', { line, marker: () => {} }))
    stream.on('error', () => {})
  }
}

const tailOf = (onLine: (line: string) => void) => {
  const lastLines: string[] = []
  const progressOf = createProgressReporter()
  const store = (text: string): void => {
    const line = progressOf(text)
    if (line === undefined) return
    onLine(line)
    lastLines.push(line)
    if (lastLines.length > retainedLines) lastLines.shift()
  }
  return { store, lastLines }
}

// Ends an installer that exceeds the disk limits. Returns the exceeded limit after it has ended.
const boundDisk = (
  running: RunningProcess,
  scratch: readonly string[],
  limits: DiskLimits,
): (() => Promise<string | undefined>) => {
  const written = { scratch, persistent: [], unlinkedBytes: running.unlinkedBytes }
  let over: string | undefined
  const disk = watchDisk(written, limits, (what) => {
    over = what
    void running.kill()
  })
  disk.work()
  return async () => {
    disk.end()
    // The installer may have written most in its last moment.
    return over ?? crossedDiskLimit({ ...written, unlinkedBytes: async () => 0 }, limits)
  }
}

const installFolders = (bundle: string, scratch: string): AppFolders => ({
  bundle,
  code: bundle,
  environment: environmentFolder(bundle),
  files: join(scratch, 'files'),
  data: join(scratch, 'data'),
  tmp: join(scratch, 'tmp'),
  cache: join(scratch, 'cache'),
})
