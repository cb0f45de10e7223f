// The interpreter of a Python app: the host's own when the app names no requirements, else one in a virtual
// environment inside the bundle.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
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
  const requirements = readRequirements(await readText(join(request.bundle, 'requirements.txt')))
  if (requirements.length === 0 && host.interpretersFromImages) return { interpreter: 'python3', readOnly: [] }
  const python = await choosePython(request.kernel.version, host.env)
  if (!python) throw new TaskFailure('this engine has no Python, which the app needs')
  const readOnly = [python.home]
  if (requirements.length === 0) return { interpreter: python.program, readOnly }

  const folder = join(request.bundle, '.venv')
  const interpreter = join(folder, 'bin', 'python')
  const packages = join(folder, 'lib', `python${python.version}`, 'site-packages')
  if (await isPrepared(request.bundle)) return { interpreter, readOnly, packages }
  const building = host.allowInstallScripts ? undefined : requirements.find(mayBuild)
  if (building !== undefined)
    throw new TaskFailure(
      `the packages of this app could not be installed: this engine installs ready-made wheels only, not ${building}`,
    )
  const run = (command: string[]): Promise<CommandResult> =>
    runCommand({
      command,
      cwd: request.bundle,
      env: host.env,
      timeoutMs: installTimeoutMs,
      signal: request.signal,
      onLine: request.onLine,
    })
  const made = await run([python.program, '-m', 'venv', folder])
  if (made.code !== 0) throw installFailure('python -m venv', 'none needed', made)
  const installed = await run([
    ...[interpreter, '-m', 'pip', 'install', '--disable-pip-version-check', '--retries', '1', '--timeout', '15'],
    ...(host.allowInstallScripts ? [] : ['--only-binary', ':all:']),
    ...['-r', 'requirements.txt'],
  ])
  if (installed.code !== 0) throw installFailure('pip', host.env.PIP_INDEX_URL ?? 'PyPI', installed)
  await markPrepared(request.bundle)
  return { interpreter, readOnly, packages }
}

export const readRequirements = (text: string | undefined): string[] =>
  (text ?? '')
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

const harmlessOptions =
  /^(-i|-f|--(index-url|extra-index-url|find-links|pre|prefer-binary|require-hashes|trusted-host))(\s|=|$)/

// Whether pip would run a package's own build code for this line, which happens outside any sandbox: options that
// change what pip accepts or read further files, and folders, archives and repositories that are not wheels.
export const mayBuild = (line: string): boolean => {
  if (line.startsWith('-')) return !harmlessOptions.test(line)
  if (/\s--(no-binary|config-settings|global-option)/.test(line)) return true
  const [source = ''] = line.replace(/^[\w.\-[\],\s]*@\s/, '').split(/[\s#;]/)
  return /[/\\]|:/.test(source) && !source.endsWith('.whl')
}

export const findPython = (version: string, env: Record<string, string>): string | undefined =>
  findProgram(`python${version}`, env) ?? findProgram('python3', env)

type Python = { program: string; home: string; version: string }

const choosePython = async (version: string, env: Record<string, string>): Promise<Python | undefined> => {
  for (const name of [`python${version}`, 'python3']) {
    const found = findProgram(name, env)
    const python = found && (await describePython(found, env))
    if (python) return python
  }
  return undefined
}

// What is on the path may be a script that picks one of several installations, or finds none: only the program itself
// says where it lives.
const describePython = async (python: string, env: Record<string, string>): Promise<Python | undefined> => {
  const code = 'import sys; print(sys.executable, sys.base_prefix, "%d.%d" % sys.version_info[:2], sep="\\n")'
  try {
    const { stdout } = await promisify(execFile)(python, ['-c', code], { env, timeout: 30_000 })
    const [program, home, version] = stdout.trim().split('\n')
    return program && home && version ? { program, home, version } : undefined
  } catch {
    return undefined
  }
}
