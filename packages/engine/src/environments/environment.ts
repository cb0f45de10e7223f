// Dependencies of an app: npm packages inside the bundle for Node apps, a virtual environment next to it for Python
// apps. Prepared once per bundle; an app without dependencies needs no preparation.

import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Kernel } from '@millrace/contract/inf-yml'
import { TaskFailure } from '../failures.ts'
import { readTextSafely } from '../files/safe-open.ts'
import type { DiskLimits } from '../machine/disk-watch.ts'
import type { ProcessLimits, Runtime } from '../runtimes/runtime.ts'
import { containsCredentials } from './installer-settings.ts'

export type EnvironmentRequest = {
  bundle: string
  kernel: Kernel
  signal: AbortSignal
  onLine: (line: string) => void
}

// The program that runs the app, and the host folders that a sandbox must mount for it.
export type Prepared = {
  interpreter: string
  readOnly: readonly string[]
  // Packages were installed for this bundle by this call.
  installed?: boolean
  // Debian packages that the app needs and this machine does not have.
  missing?: readonly string[]
}

export type EnvironmentHost = {
  // The environment for installers: proxies, registries, certificates. It never contains the engine's key.
  env: Record<string, string>
  // Installers run in the runtime of the apps, within the same limits.
  runtime: Runtime
  limits: ProcessLimits
  // Limits of one bundle with its installed packages.
  diskLimits: DiskLimits
  // Folder for temporary files of installers.
  scratchRoot: string
  // Whether the engine may install Debian packages for an app.
  installsSystemPackages: boolean
  // The folder of the packages that come with the engine.
  providedFrom: string
}

export type CommandResult = { code: number; lastLines: string[] }

// Install scripts of packages run only where they see no more than the app itself would.
export const mayRunPackages = ({ env, runtime }: EnvironmentHost): boolean =>
  runtime.name === 'process' || (runtime.name === 'bubblewrap' && !containsCredentials(env))

// Next to the bundle, where the app cannot write.
export const environmentFolder = (bundle: string): string => join(dirname(bundle), 'environment')

const maxManifestBytes = 4 * 1024 * 1024

export const readManifest = (bundle: string, name: string): Promise<string | undefined> =>
  readTextSafely(bundle, name, maxManifestBytes)

// An environment prepared for one runtime contains paths and programs that another may not have.
const stampOf = (bundle: string) => join(dirname(bundle), 'prepared')

export const isPrepared = async (bundle: string, { runtime }: EnvironmentHost): Promise<boolean> =>
  (await readFile(stampOf(bundle), 'utf8').catch(() => '')) === runtime.name

export const markPrepared = (bundle: string, { runtime }: EnvironmentHost): Promise<void> =>
  writeFile(stampOf(bundle), runtime.name)

const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|Temporary failure in name resolution|Failed to establish a new connection|network (?:is )?unreachable|NewConnectionError|Tunnel connection failed|Could not resolve host|Failed to connect to/i

// The message of the engine's proxy, in any letter case that an installer prints.
const closed = /allow_private_hosts/i

/** `source`: the server that the installer contacted. */
export const installFailure = (what: string, source: string, { code, lastLines }: CommandResult): TaskFailure => {
  const lines = lastLines.filter((line) => line.trim() !== '')
  const refused = lines.find((line) => closed.test(line))
  const network = refused ?? lines.find((line) => unreachable.test(line))
  const reason = refused
    ? `${source} has a private address; the engine's operator has to add it to allow_private_hosts`
    : network
      ? `${source} could not be reached`
      : `${what} ended with code ${code}`
  return new TaskFailure(
    `the packages of this app could not be installed: ${reason}\n${network ?? lines.slice(-6).join('\n')}`,
  )
}
