// Debian packages in an app's packages.txt, one per line. They change the machine, so an engine installs them only if
// its operator allows it; otherwise it reports the missing ones and continues.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { TaskFailure } from '../failures.ts'
import { findProgram } from '../runtimes/choose.ts'
import { type EnvironmentHost, type EnvironmentRequest, installFailure, readManifest } from './environment.ts'

const installTimeoutMs = 15 * 60_000
const maxPackages = 200
// A trailing minus would ask apt to remove the package.
const packageName = /^[a-z0-9][a-z0-9+.-]*[a-z0-9+.]$/

export const readPackages = (text: string | undefined): string[] => {
  const lines = (text ?? '').split('\n').map((line) => line.replace(/#.*$/, '').trim())
  const named = [...new Set(lines.filter((line) => packageName.test(line)))]
  if (named.length > maxPackages) throw new TaskFailure(`packages.txt lists more than ${maxPackages} packages`)
  return named
}

/** Returns the listed packages that are missing, after installing those that may be installed. */
export const findMissing = async (request: EnvironmentRequest, host: EnvironmentHost): Promise<string[]> => {
  const named = readPackages(await readManifest(request.bundle, 'packages.txt'))
  if (named.length === 0) return []
  if (host.runtime.name === 'container') {
    request.onLine(`packages.txt lists ${named.join(', ')}: the image of this engine must contain them`)
    return []
  }
  const missing = await absent(named, host)
  if (missing.length === 0) return []
  const apt = findProgram('apt-get', host.env)
  if (host.installsSystemPackages && apt) {
    await install(apt, missing, request, host)
    return []
  }
  request.onLine(
    `packages.txt lists ${missing.join(', ')}, which this machine does not have; the engine that runs the app needs them, or system_packages: install`,
  )
  return missing
}

const absent = async (named: string[], host: EnvironmentHost): Promise<string[]> => {
  const query = findProgram('dpkg-query', host.env)
  if (!query) return named
  // dpkg-query fails if one package is unknown, but still prints the others.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: fields as dpkg-query names them
  const format = '--showformat=${Package} ${db:Status-Status}\\n'
  const { stdout = '' } = await promisify(execFile)(query, ['--show', format, ...named], {
    env: host.env,
    timeout: 30_000,
  }).catch((error: { stdout?: string }) => error)
  const installed = new Set(stdout.split('\n').flatMap((line) => /^(\S+) installed$/.exec(line)?.[1] ?? []))
  return named.filter((name) => !installed.has(name))
}

const install = async (apt: string, names: string[], { onLine, signal }: EnvironmentRequest, host: EnvironmentHost) => {
  // An unknown name must not be used as a pattern that matches many packages.
  const args = ['install', '--yes', '--no-install-recommends', '-o', 'APT::Cmd::Pattern-Only=true', '--', ...names]
  const env = { ...host.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { code, output } = await promisify(execFile)(apt, args, { env, signal, timeout: installTimeoutMs }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: { code?: unknown; stderr?: string; message: string }) => ({
      code: typeof error.code === 'number' ? error.code : 1,
      output: error.stderr || error.message,
    }),
  )
  const lines = output.split('\n')
  for (const line of lines) onLine(line)
  if (code !== 0) throw installFailure('apt-get', 'the package index (Debian)', { code, lastLines: lines })
}
