// What an app needs besides its own code, prepared inside its bundle folder: packages from npm for Node apps, a
// virtual environment for Python apps. Prepared once per bundle; an app without dependencies needs nothing.

import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kernel } from '@millrace/contract/inf-yml'
import { TaskFailure } from '../failures.ts'
import type { CommandResult } from './run-command.ts'

export type EnvironmentRequest = {
  bundle: string
  kernel: Kernel
  signal: AbortSignal
  onLine: (line: string) => void
}

// The program that will run the app, and the folders of the host it needs, which a sandbox must show.
// `packages` is where a virtual environment keeps what was installed, for an interpreter other than its own.
export type Prepared = { interpreter: string; readOnly: readonly string[]; packages?: string }

export type EnvironmentHost = {
  // The environment for installers: proxies, registries, certificates. Never the engine's own key.
  env: Record<string, string>
  // Install scripts run outside any sandbox, so a sandboxing engine refuses them.
  allowInstallScripts: boolean
  // Containers bring their own interpreters; the host needs one only to install packages.
  interpretersFromImages: boolean
  // Where packages that come with the engine are found.
  providedFrom: string
}

export const installTimeoutMs = 15 * 60_000

export const readText = async (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined)

const stampOf = (bundle: string) => join(bundle, '.millrace-environment')

export const isPrepared = (bundle: string): Promise<boolean> =>
  access(stampOf(bundle)).then(
    () => true,
    () => false,
  )

export const markPrepared = (bundle: string): Promise<void> => writeFile(stampOf(bundle), '')

const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|Temporary failure in name resolution|Failed to establish a new connection|network (?:is )?unreachable|NewConnectionError/i

export const installFailure = (what: string, index: string, { code, lastLines }: CommandResult): TaskFailure => {
  const told = lastLines.filter((line) => line.trim() !== '')
  const network = told.find((line) => unreachable.test(line))
  const reason = network ? `the package index (${index}) could not be reached` : `${what} ended with code ${code}`
  const detail = network ?? told.slice(-6).join('\n')
  return new TaskFailure(`the packages of this app could not be installed: ${reason}\n${detail}`)
}
