// The engine as a program. Reads flags, environment and `engine.yml` (the only place that does), starts, and turns
// signals into a drain and the way it ended into an exit code.

import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { homedir, hostname } from 'node:os'
import { parseArgs } from 'node:util'
import { parse as parseYaml } from 'yaml'
import { type RawSettings, readConfig } from './config.ts'
import { type EngineEnd, startEngine } from './engine.ts'
import { exitCodes } from './exit-codes.ts'
import { messageOf } from './failures.ts'
import { lineLog } from './log.ts'
import { makeLimitWatch } from './machine/limit-watch.ts'
import { chooseRuntime, runtimeSettings } from './runtimes/choose.ts'

const flags = {
  config: { type: 'string' },
  // Settings by a descriptor that was handed over: they are never in a file, a command line or an environment.
  'config-fd': { type: 'string' },
  // Only says which runtime this host offers to this user, and ends.
  'which-runtime': { type: 'boolean' },
  'api-url': { type: 'string' },
  'api-key': { type: 'string' },
  name: { type: 'string' },
  'cpu-workers': { type: 'string' },
  'cache-path': { type: 'string' },
  runtime: { type: 'string' },
} as const

const environment: Record<string, string> = {
  MILLRACE_API_URL: 'api_url',
  MILLRACE_API_KEY: 'api_key',
  MILLRACE_TEAM_ID: 'team_id',
  MILLRACE_ENGINE_ID: 'engine_id',
  MILLRACE_ENGINE_NAME: 'name',
  MILLRACE_ENGINE_CACHE: 'cache_path',
  MILLRACE_ENGINE_RUNTIME: 'runtime',
  MILLRACE_ENGINE_MEMORY_LIMIT_MB: 'memory_limit_mb',
  MILLRACE_ENGINE_TASK_LIMIT_SECONDS: 'task_limit_seconds',
  MILLRACE_ENGINE_DRAIN_LIMIT_SECONDS: 'drain_limit_seconds',
  ALLOW_PRIVATE_HOSTS: 'allow_private_hosts',
  MILLRACE_OWN_PORTS: 'own_ports',
}

export const readSettings = async (args: string[], env: NodeJS.ProcessEnv): Promise<RawSettings> => {
  const { values } = parseArgs({ args, options: flags })
  const file = values.config ?? env.MILLRACE_ENGINE_CONFIG
  const handed = values['config-fd']
  const text = handed !== undefined ? await readDescriptor(Number(handed)) : file && (await readFile(file, 'utf8'))
  const fromFile: unknown = text === undefined ? {} : parseYaml(text)
  if (typeof fromFile !== 'object' || fromFile === null) throw new Error(`${file} must hold settings`)
  const fromEnv = Object.entries(environment).flatMap(([name, key]) => (env[name] ? [[key, env[name]]] : []))
  const count = values['cpu-workers'] ?? env.MILLRACE_ENGINE_CPU_WORKERS
  return {
    ...fromFile,
    ...Object.fromEntries(fromEnv),
    ...(values['api-url'] && { api_url: values['api-url'] }),
    ...(values['api-key'] && { api_key: values['api-key'] }),
    ...(values.name && { name: values.name }),
    ...(values['cache-path'] && { cache_path: values['cache-path'] }),
    ...(values.runtime && { runtime: values.runtime }),
    ...(count && { workers: { cpu: { count: Number(count) } } }),
  }
}

const readDescriptor = async (fd: number): Promise<string> => {
  let text = ''
  for await (const chunk of new Socket({ fd, readable: true, writable: false })) text += String(chunk)
  return text
}

// What installers, interpreters and container programs need from the operator's environment. A list of what may pass,
// because everything else may be a secret of whoever started us.
const passing =
  /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|https?_proxy|no_proxy|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|npm_config_\w+|PIP_\w+|UV_\w+|PYENV_ROOT|LD_LIBRARY_PATH|CUDA_\w+|NVIDIA_\w+|DOCKER_HOST|DOCKER_CONFIG|CONTAINER_HOST|XDG_RUNTIME_DIR)$/i

export const hostEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && passing.test(name) ? [[name, value]] : [])),
  )

const exitCodeOf = (end: EngineEnd): number => {
  if (end.reason === 'restart') return exitCodes.restart
  return end.reason === 'refused' || end.reason === 'replaced' ? exitCodes.refused : exitCodes.done
}

// For whoever must know before an engine is started.
const sayRuntime = (setting: string | undefined): number => {
  const { name } = chooseRuntime({
    setting: runtimeSettings.find((known) => known === setting) ?? 'auto',
    limitWatch: makeLimitWatch(),
    readOnly: [],
    hostEnv: hostEnvironment(process.env),
  })
  process.stdout.write(`${name}\n`)
  return exitCodes.done
}

const main = async (): Promise<number> => {
  const log = lineLog((line) => process.stderr.write(line))
  const starting = new AbortController()
  let onSignal = () => starting.abort()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal())
  try {
    const { values } = parseArgs({ options: flags })
    if (values['which-runtime']) return sayRuntime(values.runtime)
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    const config = readConfig(await readSettings(process.argv.slice(2), process.env), {
      hostname: hostname(),
      home: homedir(),
      hostEnv: hostEnvironment(process.env),
      engineVersion: `v${version}`,
    })
    const engine = await startEngine(config, { log, signal: starting.signal })
    // The first signal lets running tasks finish within a limit, the second one does not wait.
    onSignal = () => {
      onSignal = () => void engine.stop()
      engine.drain()
      setTimeout(() => void engine.stop(), config.drainLimitMs).unref()
    }
    return exitCodeOf(await engine.finished)
  } catch (error) {
    if (starting.signal.aborted) return exitCodes.done
    log('error', 'the engine could not start', { error: messageOf(error) })
    return exitCodes.refused
  }
}

if (import.meta.main) process.exit(await main())
