// Debian packages that an app names in packages.txt, one per line. They are the machine's, not the app's: an engine
// installs them only where its owner has said so, and otherwise says which ones are missing and goes on.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { TaskFailure } from '../failures.ts'
import { findProgram } from '../runtimes/choose.ts'
import { type EnvironmentHost, type EnvironmentRequest, installFailure, readManifest } from './environment.ts'

const installTimeoutMs = 15 * 60_000
const mostPackages = 200
// A minus at the end of a name would ask apt to remove the package.
const packageName = /^[a-z0-9][a-z0-9+.-]*[a-z0-9+.]$/

export const readPackages = (text: string | undefined): string[] => {
  const lines = (text ?? '').split('\n').map((line) => line.replace(/#.*$/, '').trim())
  const named = [...new Set(lines.filter((line) => packageName.test(line)))]
  if (named.length > mostPackages) throw new TaskFailure(`packages.txt names more than ${mostPackages} packages`)
  return named
}

/** The packages that are named and not there, after installing what may be installed. */
export const findMissing = async (request: EnvironmentRequest, host: EnvironmentHost): Promise<string[]> => {
  const named = readPackages(await readManifest(request.bundle, 'packages.txt'))
  if (named.length === 0) return []
  if (host.runtime.name === 'container') {
    request.onLine(`packages.txt names ${named.join(', ')}: the image of this engine has to bring them`)
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
    `packages.txt names ${missing.join(', ')}, which this machine does not have; the engine that runs the app needs them, or system_packages: install`,
  )
  return missing
}

const absent = async (named: string[], host: EnvironmentHost): Promise<string[]> => {
  const query = findProgram('dpkg-query', host.env)
  if (!query) return named
  // It ends with an error when it does not know one of them, and tells of the others all the same.
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
  // A name that no package has is not taken for a pattern that many have.
  const args = ['install', '--yes', '--no-install-recommends', '-o', 'APT::Cmd::Pattern-Only=true', '--', ...names]
  const env = { ...host.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { code, said } = await promisify(execFile)(apt, args, { env, signal, timeout: installTimeoutMs }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { code?: unknown; stderr?: string; message: string }) => ({
      code: typeof error.code === 'number' ? error.code : 1,
      said: error.stderr || error.message,
    }),
  )
  const lines = said.split('\n')
  for (const line of lines) onLine(line)
  if (code !== 0) throw installFailure('apt-get', 'the package index (Debian)', { code, lastLines: lines })
}
