// Runs one step of an installer to its end, in the runtime that will run the app and within the same limits, handing its
// output over line by line and keeping the last lines for an error message.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '@millrace/contract/ids'
import { splitLines } from '../app-process/log-lines.ts'
import { TaskStopped } from '../failures.ts'
import { removeFolder } from '../files/beneath.ts'
import type { AppFolders } from '../runtimes/runtime.ts'
import { type CommandResult, type EnvironmentHost, type EnvironmentRequest, environmentFolder } from './environment.ts'
import { installerSettings } from './installer-settings.ts'
import { tellProgress } from './progress.ts'

const keptLines = 50
const timeoutMs = 15 * 60_000

export type InstallStep = {
  command: (inside: AppFolders) => string[]
  workFolder: (inside: AppFolders) => string
  readOnly: readonly string[]
}

export const runInstaller = async (
  { bundle, kernel, signal, onLine }: EnvironmentRequest,
  { env, runtime, limits, scratchRoot }: EnvironmentHost,
  step: InstallStep,
): Promise<CommandResult> => {
  const processId = newId()
  const scratch = join(scratchRoot, `install-${processId}`)
  const folders = installFolders(bundle, scratch)
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true })
  const settings = await installerSettings(env, runtime.name)
  const lastLines: string[] = []
  const told = tellProgress()
  const keep = (said: string) => {
    const line = told(said)
    if (line === undefined) return
    onLine(line)
    lastLines.push(line)
    if (lastLines.length > keptLines) lastLines.shift()
  }
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
    for (const stream of [running.stdout, running.stderr]) {
      stream.on('data', splitLines('', { line: keep, marker: () => {} }))
      stream.on('error', () => {})
    }
    const stop = () => void running.kill()
    const timer = setTimeout(() => {
      keep(`stopped after ${timeoutMs / 60_000} minutes`)
      stop()
    }, timeoutMs)
    signal.addEventListener('abort', stop, { once: true })
    const exit = await running.exited
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    workEnded()
    if (exit.overLimit) keep(exit.overLimit)
    if (signal.aborted) throw new TaskStopped('stopped')
    return { code: exit.code ?? 1, lastLines }
  } finally {
    await removeFolder(scratch)
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
