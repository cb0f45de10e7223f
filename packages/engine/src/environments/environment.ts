// What an app needs besides its own code: packages from npm for Node apps, in its bundle, and a virtual environment
// beside it for Python apps. Prepared once per bundle; an app without dependencies needs nothing.

import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Kernel } from '@millrace/contract/inf-yml'
import { TaskFailure } from '../failures.ts'
import { readTextBeneath } from '../files/beneath.ts'
import type { DiskLimits } from '../machine/disk-watch.ts'
import type { ProcessLimits, Runtime } from '../runtimes/runtime.ts'
import { holdsCredentials } from './installer-settings.ts'

export type EnvironmentRequest = {
  bundle: string
  kernel: Kernel
  signal: AbortSignal
  onLine: (line: string) => void
}

// The program that will run the app, and the folders of the host it needs, which a sandbox must show.
export type Prepared = {
  interpreter: string
  readOnly: readonly string[]
  // Packages were fetched for this bundle just now.
  installed?: boolean
  // Debian packages the app names and this machine lacks.
  missing?: readonly string[]
}

export type EnvironmentHost = {
  // The environment for installers: proxies, registries, certificates. Never the engine's own key.
  env: Record<string, string>
  // Installers run where apps run, within the same limits.
  runtime: Runtime
  limits: ProcessLimits
  // What one bundle may take with all that is installed for it.
  diskLimits: DiskLimits
  // Where installers find room for what they need only while they work.
  scratchRoot: string
  // Whether the engine may install Debian packages that an app names.
  installsSystemPackages: boolean
  // Where packages that come with the engine are found.
  providedFrom: string
}

export type CommandResult = { code: number; lastLines: string[] }

// Code of packages runs while it is installed only where it sees nothing it should not: as the app itself would.
export const mayRunPackages = ({ env, runtime }: EnvironmentHost): boolean =>
  runtime.name === 'process' || (runtime.name === 'bubblewrap' && !holdsCredentials(env))

// Beside the bundle, out of reach of everything that runs in it.
export const environmentFolder = (bundle: string): string => join(dirname(bundle), 'environment')

const largestManifestBytes = 4 * 1024 * 1024

export const readManifest = (bundle: string, name: string): Promise<string | undefined> =>
  readTextBeneath(bundle, name, largestManifestBytes)

// What one runtime prepared holds paths and programs that another may not have.
const stampOf = (bundle: string) => join(dirname(bundle), 'prepared')

export const isPrepared = async (bundle: string, { runtime }: EnvironmentHost): Promise<boolean> =>
  (await readFile(stampOf(bundle), 'utf8').catch(() => '')) === runtime.name

export const markPrepared = (bundle: string, { runtime }: EnvironmentHost): Promise<void> =>
  writeFile(stampOf(bundle), runtime.name)

const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|Temporary failure in name resolution|Failed to establish a new connection|network (?:is )?unreachable|NewConnectionError|Tunnel connection failed|Could not resolve host|Failed to connect to/i

// As the engine's proxy puts it, in whichever letters the installer repeats it.
const closed = /allow_private_hosts/i

/** `source`: what the installer was talking to. */
export const installFailure = (what: string, source: string, { code, lastLines }: CommandResult): TaskFailure => {
  const told = lastLines.filter((line) => line.trim() !== '')
  const refused = told.find((line) => closed.test(line))
  const network = refused ?? told.find((line) => unreachable.test(line))
  const reason = refused
    ? `${source} is at a private address, which the engine's operator has to name in allow_private_hosts`
    : network
      ? `${source} could not be reached`
      : `${what} ended with code ${code}`
  return new TaskFailure(
    `the packages of this app could not be installed: ${reason}\n${network ?? told.slice(-6).join('\n')}`,
  )
}
