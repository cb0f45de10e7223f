// Reads the engine's settings from flags, the environment and `engine.yml`, and selects which variables of the
// environment are passed on.

import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { parse as parseYaml } from 'yaml'
import type { RawSettings } from './engine-yml.ts'

export const flags = {
  config: { type: 'string' },
  // A file descriptor with the settings, so that they never appear in a file, a command line or the environment.
  'config-fd': { type: 'string' },
  // Prints the runtime that is available to this user on this host, and ends.
  'which-runtime': { type: 'boolean' },
  // Prints the GPUs of this machine as JSON, and ends.
  'which-gpus': { type: 'boolean' },
  'api-url': { type: 'string' },
  'api-key': { type: 'string' },
  name: { type: 'string' },
  'cpu-workers': { type: 'string' },
  gpus: { type: 'string' },
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
  MILLRACE_ENGINE_CGROUPS: 'cgroups',
  MILLRACE_ENGINE_NODE_IMAGE: 'node_image',
  MILLRACE_ENGINE_PYTHON_IMAGE: 'python_image',
  MILLRACE_ENGINE_MEMORY_LIMIT_MB: 'memory_limit_mb',
  MILLRACE_ENGINE_BUNDLES_LIMIT_MB: 'bundles_limit_mb',
  MILLRACE_ENGINE_FILES_LIMIT_MB: 'files_limit_mb',
  MILLRACE_ENGINE_TASK_LIMIT_SECONDS: 'task_limit_seconds',
  MILLRACE_ENGINE_DRAIN_LIMIT_SECONDS: 'drain_limit_seconds',
  ENGINE_GPUS: 'gpus',
  ALLOW_PRIVATE_HOSTS: 'allow_private_hosts',
  MILLRACE_OWN_PORTS: 'own_ports',
}

export const readSettings = async (args: string[], env: NodeJS.ProcessEnv): Promise<RawSettings> => {
  const { values } = parseArgs({ args, options: flags })
  const file = values.config ?? env.MILLRACE_ENGINE_CONFIG
  const handed = values['config-fd']
  const text = handed !== undefined ? await readDescriptor(Number(handed)) : file && (await readFile(file, 'utf8'))
  const fromFile: unknown = text === undefined ? {} : parseYaml(text)
  if (typeof fromFile !== 'object' || fromFile === null) throw new Error(`${file} must contain a mapping of settings`)
  const fromEnv = Object.entries(environment).flatMap(([name, key]) => (env[name] ? [[key, env[name]]] : []))
  const count = values['cpu-workers'] ?? env.MILLRACE_ENGINE_CPU_WORKERS
  return {
    ...fromFile,
    ...Object.fromEntries(fromEnv),
    ...(values['api-url'] && { api_url: values['api-url'] }),
    ...(values['api-key'] && { api_key: values['api-key'] }),
    ...(values.name && { name: values.name }),
    ...(values.gpus && { gpus: values.gpus }),
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

// Variables that installers, interpreters and container programs need. This is an allow-list, because every other
// variable may be a secret of the operator.
const passing =
  /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|https?_proxy|no_proxy|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|npm_config_\w+|PIP_\w+|UV_\w+|PYENV_ROOT|LD_LIBRARY_PATH|CUDA_\w+|NVIDIA_\w+|DOCKER_HOST|DOCKER_CONFIG|CONTAINER_HOST|CONTAINERS_CONF|XDG_RUNTIME_DIR)$/i

export const hostEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && passing.test(name) ? [[name, value]] : [])),
  )
