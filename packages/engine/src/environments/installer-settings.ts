// The operator's settings for package indexes: environment variables and the configuration files of the engine's user,
// which a sandbox must mount. Settings in a bundle are never read.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppFolders, RuntimeName } from '../runtimes/runtime.ts'

export type InstallerSettings = {
  env: (inside: AppFolders) => Record<string, string>
  readOnly: readonly string[]
}

// The only variables of the host that an installer in an image needs: the addresses of indexes and proxies.
const addressesOnly = /^(npm_config_registry|PIP_(EXTRA_)?INDEX_URL|https?_proxy|no_proxy|LANG|TZ)$/i

export const installerSettings = async (
  hostEnv: Record<string, string>,
  runtime: RuntimeName,
): Promise<InstallerSettings> => {
  if (runtime === 'process') return { env: () => hostEnv, readOnly: [] }
  if (runtime === 'container') {
    const passed = Object.entries(hostEnv).filter(([name]) => addressesOnly.test(name))
    return { env: (inside) => ({ ...Object.fromEntries(passed), HOME: inside.data }), readOnly: [] }
  }
  const npmFile = await firstReadable(npmFiles(hostEnv))
  const pipFile = await firstReadable(pipFiles(hostEnv))
  return {
    env: (inside) => ({
      ...hostEnv,
      HOME: inside.data,
      npm_config_cache: join(inside.cache, 'npm'),
      PIP_NO_CACHE_DIR: '1',
      ...(npmFile && { npm_config_userconfig: npmFile }),
      ...(pipFile && { PIP_CONFIG_FILE: pipFile }),
    }),
    readOnly: [...[npmFile, pipFile].flatMap((path) => path ?? []), ...packageFolders(hostEnv)],
  }
}

const npmFiles = (env: Record<string, string>): string[] =>
  env.npm_config_userconfig ? [env.npm_config_userconfig] : env.HOME ? [join(env.HOME, '.npmrc')] : []

const pipFiles = (env: Record<string, string>): string[] =>
  env.PIP_CONFIG_FILE
    ? [env.PIP_CONFIG_FILE]
    : env.HOME
      ? [join(env.HOME, '.config', 'pip', 'pip.conf'), join(env.HOME, '.pip', 'pip.conf')]
      : []

// Folders with wheels on this machine.
const packageFolders = (env: Record<string, string>): string[] =>
  (env.PIP_FIND_LINKS ?? '').split(/\s+/).filter((place) => place.startsWith('/'))

const firstReadable = async (paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) {
    const isReadable = await readFile(path).then(
      () => true,
      () => false,
    )
    if (isReadable) return path
  }
  return undefined
}

// --- Derived settings -----------------------------------------------------------------------------------------------

const indexVariables = /^(npm_config_registry|npm_config_@[^:]+:registry|PIP_(EXTRA_)?INDEX_URL|PIP_FIND_LINKS)$/i

/** Private hosts that an installer may reach, because the operator configured them as indexes. */
export const indexHosts = (env: Record<string, string>): string[] => {
  const fromVariables = Object.entries(env).flatMap(([name, value]) => (indexVariables.test(name) ? [value] : []))
  const texts = [...fromVariables, ...[...npmFiles(env), ...pipFiles(env)].map(textOf)]
  const addresses = texts.flatMap((text) => text.match(/https?:\/\/[^\s,"']+/g) ?? [])
  return [...new Set(addresses.flatMap((address) => URL.parse(address)?.hostname.replace(/^\[|\]$/g, '') ?? []))]
}

const secretName = /auth|password|token|_key/i
const secretInUrl = /:\/\/[^/\s]*:[^/\s]*@/

/**
 * Whether the settings contain credentials that code of packages must not see. Without credentials, install scripts may
 * run: they are in the same sandbox as the app that will use the package.
 */
export const containsCredentials = (env: Record<string, string>): boolean => {
  const installers = Object.entries(env).filter(([name]) => /^(npm_config_|PIP_|UV_|https?_proxy)/i.test(name))
  return (
    installers.some(([name, value]) => secretName.test(name) || secretInUrl.test(value)) ||
    [...npmFiles(env), ...pipFiles(env)].map(textOf).some((text) => secretName.test(text) || secretInUrl.test(text))
  )
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
