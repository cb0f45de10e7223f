// The interpreter of a Python app: that of the host or image when the app has no requirements, otherwise a virtual
// environment next to the bundle. Every call is isolated (`-I`): no file of the bundle is on its search path.

import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { TaskFailure } from '../failures.ts'
import { removeFolder } from '../files/safe-open.ts'
import { findProgram } from '../runtimes/choose.ts'
import type { AppFolders } from '../runtimes/runtime.ts'
import {
  type CommandResult,
  type EnvironmentHost,
  type EnvironmentRequest,
  environmentFolder,
  installFailure,
  isPrepared,
  markPrepared,
  mayRunPackages,
  type Prepared,
  readManifest,
} from './environment.ts'
import { reusedPackages, takeOver } from './handover.ts'
import { runInstaller } from './install.ts'
import { pipProgress } from './progress.ts'

export const preparePython = async (request: EnvironmentRequest, host: EnvironmentHost): Promise<Prepared> => {
  const requirements = readRequirements(await readManifest(request.bundle, 'requirements.txt'))
  const python = await pythonOf(request, host)
  const readOnly = python.home === undefined ? [] : [python.home]
  const needsModels = await needsPydantic(request.bundle, requirements)
  if (requirements.length === 0 && (python.hasPydantic || !needsModels))
    return { interpreter: python.program, readOnly }
  const implied = needsModels ? ['pydantic>=2'] : []
  const prepared = { interpreter: interpreterIn(environmentFolder(request.bundle)), readOnly }
  if (await isPrepared(request.bundle, host)) return prepared
  if (!(await takeOverVenv(request, host, python.program)))
    await install(request, host, { ...python, requirements, implied })
  await markPrepared(request.bundle, host)
  return { ...prepared, installed: true }
}

/** An environment of another Python version cannot be used. */
const takeOverVenv = async ({ bundle, onLine }: EnvironmentRequest, host: EnvironmentHost, program: string) => {
  if (!(await takeOver(bundle, host))) return false
  const venv = join(environmentFolder(bundle), 'venv')
  const made = await readFile(join(venv, 'pyvenv.cfg'), 'utf8').catch(() => '')
  if (/^home = (.*)$/m.exec(made)?.[1] !== dirname(program)) {
    await removeFolder(environmentFolder(bundle))
    return false
  }
  onLine(reusedPackages)
  return true
}

// `requirements`: lines of the app's file; `implied`: packages that it needs in addition.
type VenvRequest = { program: string; home?: string; requirements: readonly string[]; implied: readonly string[] }

const install = async (
  request: EnvironmentRequest,
  host: EnvironmentHost,
  { program, home, requirements, implied }: VenvRequest,
): Promise<void> => {
  const readOnly = home === undefined ? [] : [home]
  const wheelsOnly = !mayRunPackages(host)
  const building = wheelsOnly ? requirements.find(mayBuild) : undefined
  if (building !== undefined)
    throw new TaskFailure(
      `the packages of this app could not be installed: this engine installs wheels only, not ${building}`,
    )
  const fromGit = requirements.find((line) => /(^|\s)git\+/.test(line))
  if (fromGit !== undefined && host.runtime.name !== 'container' && !findProgram('git', host.env))
    throw new TaskFailure(
      `the packages of this app could not be installed: ${fromGit} comes from git, which is not on this machine`,
    )
  const made = await runInstaller(request, host, {
    command: (inside) => [program, '-I', '-m', 'venv', join(inside.environment, 'venv')],
    workFolder: (inside) => inside.tmp,
    readOnly,
  })
  if (made.code !== 0) throw installFailure('python -m venv', 'the package index', made)
  const options = [
    ...pipProgress(await packagesIn(environmentFolder(request.bundle))),
    ...(wheelsOnly ? ['--only-binary', ':all:'] : []),
  ]
  const installed = await runInstaller(request, host, {
    command: (inside) => pipCommand(inside, [...options, ...implied], requirements.length > 0),
    // Requirements refer to files of the bundle by relative paths.
    workFolder: (inside) => inside.code,
    readOnly,
  })
  if (installed.code !== 0) throw installFailure('pip', sourceOf(installed, fromGit, host), installed)
}

/** The runner provides the package `inferencesh`, which needs pydantic, to apps that do not list it. */
export const needsPydantic = async (bundle: string, requirements: readonly string[]): Promise<boolean> => {
  if (requirements.some((line) => /^(inferencesh|pydantic)\b/i.test(line))) return false
  const sources = (await readdir(bundle)).filter((name) => name.endsWith('.py'))
  for (const name of sources)
    if (/^\s*(from|import)\s+inferencesh\b/m.test((await readManifest(bundle, name)) ?? '')) return true
  return false
}

/** Names of the installed packages, as pip prints them. */
const packagesIn = async (environment: string): Promise<string[]> => {
  const library = join(environment, 'venv', 'lib')
  const pythons = await readdir(library).catch(() => [])
  return (
    await Promise.all(pythons.map((name) => readdir(join(library, name, 'site-packages')).catch(() => [])))
  ).flat()
}

const interpreterIn = (environment: string): string => join(environment, 'venv', 'bin', 'python')

const pipCommand = (inside: AppFolders, options: readonly string[], hasFile: boolean): string[] => [
  ...[interpreterIn(inside.environment), '-I', '-m', 'pip', 'install', '--no-input', '--disable-pip-version-check'],
  ...['--retries', '1', '--timeout', '15', '--no-compile'],
  ...options,
  ...(hasFile ? ['-r', join(inside.code, 'requirements.txt')] : []),
]

const pythonOf = async (
  { kernel, onLine }: EnvironmentRequest,
  { env, runtime }: EnvironmentHost,
): Promise<{ program: string; home?: string; hasPydantic: boolean }> => {
  if (runtime.name === 'container') return { program: 'python3', hasPydantic: false }
  const python = await choosePython(kernel.version, env)
  if (!python) throw new TaskFailure('this machine has no Python, which the app needs')
  if (python.version !== kernel.version && !python.version.startsWith(`${kernel.version}.`))
    onLine(`Python ${kernel.version} is not on this machine: Python ${python.version} runs the app`)
  return python
}

/** The server that pip contacted when it failed: the repository of a requirement, or the index. */
export const sourceOf = (
  { lastLines }: CommandResult,
  fromGit: string | undefined,
  { env }: Pick<EnvironmentHost, 'env'>,
): string =>
  fromGit !== undefined && lastLines.some((line) => line.includes('git clone'))
    ? `the repository ${fromGit}`
    : `the package index (${env.PIP_INDEX_URL ?? 'PyPI'})`

export const readRequirements = (text: string | undefined): string[] =>
  (text ?? '')
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

const harmlessOptions =
  /^(-i|-f|--(index-url|extra-index-url|find-links|pre|prefer-binary|require-hashes|trusted-host))(\s|=|$)/

// Whether pip would run a package's build code for this line: options that change the accepted formats or read further
// files, and folders, archives and repositories that are not wheels.
export const mayBuild = (line: string): boolean => {
  if (line.startsWith('-')) return !harmlessOptions.test(line)
  if (/\s--(no-binary|config-settings|global-option)/.test(line)) return true
  const [source = ''] = line.replace(/^[\w.\-[\],\s]*@\s/, '').split(/[\s#;]/)
  return /[/\\]|:/.test(source) && !source.endsWith('.whl')
}

export const findPython = (version: string, env: Record<string, string>): string | undefined =>
  findProgram(`python${version}`, env) ?? findProgram('python3', env)

type Python = { program: string; home: string; version: string; hasPydantic: boolean }

const choosePython = async (version: string, env: Record<string, string>): Promise<Python | undefined> => {
  for (const name of [`python${version}`, 'python3']) {
    const found = findProgram(name, env)
    const python = found && (await describePython(found, env))
    if (python) return python
  }
  return undefined
}

// The program in PATH may be a script that selects an installation, or finds none; only the interpreter knows its own
// path.
const describePython = async (python: string, env: Record<string, string>): Promise<Python | undefined> => {
  const facts =
    'sys.executable, sys.base_prefix, "%d.%d" % sys.version_info[:2], importlib.util.find_spec("pydantic") is not None'
  const code = `import importlib.util, sys; print(${facts}, sep="\\n")`
  try {
    const { stdout } = await promisify(execFile)(python, ['-I', '-c', code], { env, timeout: 30_000 })
    const [program, home, version, hasPydantic] = stdout.trim().split('\n')
    return program && home && version ? { program, home, version, hasPydantic: hasPydantic === 'True' } : undefined
  } catch {
    return undefined
  }
}
