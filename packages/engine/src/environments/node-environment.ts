// Packages of a Node app. When the engine provides every dependency in a matching version, they are linked into the
// bundle and nothing is downloaded: that is how the shipped apps run without a network. Otherwise npm installs them
// all, and configuration in the bundle is ignored.

import { readFileSync, realpathSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isRecord } from '@millrace/contract/json'
import semver from 'semver'
import { parseJson, tryParseJson } from '../bounded-json.ts'
import { messageOf, TaskFailure } from '../failures.ts'
import { findProgram } from '../runtimes/choose.ts'
import {
  type EnvironmentHost,
  type EnvironmentRequest,
  installFailure,
  isPrepared,
  markPrepared,
  mayRunPackages,
  type Prepared,
  readManifest,
} from './environment.ts'
import { reusedPackages, takeOver } from './handover.ts'
import { runInstaller } from './install.ts'
import { npmProgress } from './progress.ts'

// Packages that shipped apps and apps of the kit commonly need. Only these are provided, so that an app cannot depend
// on other packages that the engine happens to have. `@millrace/app` is part of this package.
export const providedPackages = [
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai-compatible',
  '@inferencesh/app',
  '@millrace/app',
  'ai',
  'jsonata',
  'marked',
  'zod',
] as const

export const prepareNode = async (request: EnvironmentRequest, host: EnvironmentHost): Promise<Prepared> => {
  const prepared = { interpreter: process.execPath, readOnly: [process.execPath] }
  if (await isPrepared(request.bundle, host)) return prepared
  const manifest = await readManifest(request.bundle, 'package.json')
  const wanted = manifest === undefined ? {} : readDependencies(manifest)
  if (Object.keys(wanted).length === 0) return prepared
  const provided = matchProvided(wanted, host.providedFrom)
  if (provided) await linkPackages(request.bundle, provided)
  else if (await takeOver(request.bundle, host)) request.onLine(reusedPackages)
  else await install(request, host, manifest)
  await markPrepared(request.bundle, host)
  return { ...prepared, installed: !provided }
}

export const readDependencies = (manifest: string): Record<string, string> => {
  let parsed: unknown
  try {
    parsed = parseJson(manifest)
  } catch (error) {
    throw new TaskFailure(`package.json of this app ${messageOf(error)}`)
  }
  const dependencies =
    typeof parsed === 'object' && parsed !== null && 'dependencies' in parsed ? parsed.dependencies : {}
  if (typeof dependencies !== 'object' || dependencies === null) return {}
  return Object.fromEntries(Object.entries(dependencies).map(([name, range]) => [name, String(range)]))
}

// Generated apps turn the install scripts of packages off in their own manifest.
const wantsScripts = (manifest: string): boolean => {
  const parsed = tryParseJson(manifest)
  const own = isRecord(parsed) ? parsed.millrace : undefined
  return !isRecord(own) || own.installScripts !== false
}

// The time to match a version grows with the length of the range.
const maxRangeLength = 256

// All or nothing: a partly linked folder would shadow the packages that npm installs.
export const matchProvided = (wanted: Record<string, string>, from: string): Map<string, string> | undefined => {
  const found = new Map<string, string>()
  for (const [name, range] of Object.entries(wanted)) {
    const folder = (providedPackages as readonly string[]).includes(name) ? packageFolder(name, from) : undefined
    const version = folder && readVersion(folder)
    if (!folder || !version || range.length > maxRangeLength || !semver.satisfies(version, range)) return undefined
    found.set(name, folder)
  }
  return found
}

const packageFolder = (name: string, from: string): string | undefined => {
  if (name === '@millrace/app') return join(from, 'kit')
  const folders = createRequire(join(from, 'package.json')).resolve.paths(name) ?? []
  return folders.map((folder) => join(folder, name)).find((folder) => readVersion(folder) !== undefined)
}

const readVersion = (folder: string): string | undefined => {
  try {
    return String(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version)
  } catch {
    return undefined
  }
}

const linkPackages = async (bundle: string, provided: Map<string, string>): Promise<void> => {
  for (const [name, folder] of provided) {
    const link = join(bundle, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(folder, link, 'dir').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

const install = async (request: EnvironmentRequest, host: EnvironmentHost, manifest = ''): Promise<void> => {
  const npm = findNpm(host)
  if (!npm) throw new TaskFailure('the packages of this app could not be installed: npm is not on this machine')
  const locked = (await readManifest(request.bundle, 'package-lock.json')) !== undefined
  const result = await runInstaller(request, host, {
    command: () => [
      ...npm.command,
      locked ? 'ci' : 'install',
      '--omit=dev',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      npmProgress,
      '--fetch-retries=1',
      '--fetch-retry-mintimeout=1000',
      '--fetch-retry-maxtimeout=5000',
      ...(mayRunPackages(host) && wantsScripts(manifest) ? [] : ['--ignore-scripts']),
    ],
    workFolder: (inside) => inside.code,
    readOnly: npm.readOnly,
  })
  if (result.code !== 0)
    throw installFailure('npm', `the package index (${host.env.npm_config_registry ?? 'npm'})`, result)
}

type Npm = { command: string[]; readOnly: string[] }

// Uses npm's own file and the engine's Node, so that a sandbox need not mount the folder of the `npm` link in PATH.
const findNpm = ({ env, runtime }: EnvironmentHost): Npm | undefined => {
  if (runtime.name === 'container') return { command: ['npm'], readOnly: [] }
  const found = findProgram('npm', env)
  if (!found) return undefined
  const real = realpathSync(found)
  if (!real.endsWith('.js')) return { command: [found], readOnly: [] }
  return { command: [process.execPath, real], readOnly: [process.execPath, dirname(dirname(real))] }
}
