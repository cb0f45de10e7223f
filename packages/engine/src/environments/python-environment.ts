// The interpreter of a Python app: the host's own when the app names no requirements, else one in a virtual
// environment inside the bundle.

import { join } from 'node:path'
import { TaskFailure } from '../failures.ts'
import { findProgram } from '../runtimes/choose.ts'
import {
  type EnvironmentHost,
  type EnvironmentRequest,
  installFailure,
  installTimeoutMs,
  isPrepared,
  markPrepared,
  type Prepared,
  readText,
} from './environment.ts'
import { type CommandResult, runCommand } from './run-command.ts'

export const preparePython = async (request: EnvironmentRequest, host: EnvironmentHost): Promise<Prepared> => {
  const python = findPython(request.kernel.version, host.env)
  if (!python) throw new TaskFailure('this engine has no Python, which the app needs')
  const requirements = readRequirements(await readText(join(request.bundle, 'requirements.txt')))
  if (requirements.length === 0) return { interpreter: python }

  const folder = join(request.bundle, '.venv')
  const interpreter = join(folder, 'bin', 'python')
  if (await isPrepared(request.bundle)) return { interpreter }
  const run = (command: string[]): Promise<CommandResult> =>
    runCommand({
      command,
      cwd: request.bundle,
      env: host.env,
      timeoutMs: installTimeoutMs,
      signal: request.signal,
      onLine: request.onLine,
    })
  const made = await run([python, '-m', 'venv', folder])
  if (made.code !== 0) throw installFailure('python -m venv', 'none needed', made)
  const installed = await run([
    ...[interpreter, '-m', 'pip', 'install', '--disable-pip-version-check', '--retries', '1', '--timeout', '15'],
    ...['-r', 'requirements.txt'],
  ])
  if (installed.code !== 0) throw installFailure('pip', host.env.PIP_INDEX_URL ?? 'PyPI', installed)
  await markPrepared(request.bundle)
  return { interpreter }
}

export const readRequirements = (text: string | undefined): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

export const findPython = (version: string, env: Record<string, string>): string | undefined =>
  findProgram(`python${version}`, env) ?? findProgram('python3', env)
