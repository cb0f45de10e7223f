// The fields of `engine.yml`. The environment and flags set the same fields, as text. Pure.

import { type DocumentSchema, problemsOf, unknownFields } from '@millrace/contract/document-problems'
import { WorkerConfig } from '@millrace/contract/engine-frames'
import { selectionPattern } from '@millrace/contract/gpu-selection'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { runtimeSettings } from './runtimes/choose.ts'

const oneOf = <const T extends string>(names: readonly T[]) =>
  Type.Optional(
    Type.Union(
      names.map((name) => Type.Literal(name)),
      { description: `one of ${names.join(', ')}` },
    ),
  )

const Text = Type.Optional(Type.String())

const Amount = Type.Optional(
  Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.String({ pattern: '^(?=.*[1-9])\\d*\\.?\\d+$' })], {
    description: 'a positive number',
  }),
)

export const EngineYml = Type.Object({
  api_url: Type.String({ pattern: '^https?://', description: 'an http or https address' }),
  api_key: Type.String({ minLength: 1, description: 'an API key' }),
  team_id: Text,
  name: Text,
  engine_id: Text,
  workers: Type.Optional(
    Type.Unsafe<WorkerConfig>({
      ...WorkerConfig,
      description: 'a layout such as {cpu: {count: 2}, gpu: [{gpus: [0]}]}',
    }),
  ),
  gpus: Type.Optional(
    Type.Union([Type.String({ pattern: selectionPattern }), Type.Integer({ minimum: 0 })], {
      description: 'all, none, or cards such as 0,1 (two workers) or 0+1 (one worker with two cards)',
    }),
  ),
  cache_path: Text,
  runtime: oneOf(runtimeSettings),
  container_mode: Type.Optional(Type.Boolean()),
  cgroups: oneOf(['auto', 'off']),
  network_name: Text,
  node_image: Text,
  python_image: Text,
  system_packages: oneOf(['install', 'report']),
  allow_private_hosts: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], { description: 'a list of hosts and networks' }),
  ),
  own_ports: Type.Optional(
    Type.Union(
      [
        Type.String({ pattern: '^[\\d, ]*$' }),
        Type.Integer(),
        Type.Array(Type.Union([Type.Integer(), Type.String({ pattern: '^\\d+$' })])),
      ],
      { description: 'a list of ports' },
    ),
  ),
  memory_limit_mb: Amount,
  process_limit: Amount,
  idle_memory_limit_mb: Amount,
  idle_cpu_percent: Amount,
  scratch_limit_mb: Amount,
  storage_limit_mb: Amount,
  file_limit: Amount,
  free_disk_mb: Amount,
  packages_limit_mb: Amount,
  bundles_limit_mb: Amount,
  files_limit_mb: Amount,
  task_limit_seconds: Amount,
  log_limit_bytes: Amount,
  output_limit_bytes: Amount,
  start_timeout_seconds: Amount,
  warm_idle_seconds: Amount,
  cache_unused_days: Amount,
  drain_limit_seconds: Amount,
  server_gone_limit_seconds: Amount,
})
export type EngineYml = Static<typeof EngineYml>

export type RawSettings = Record<string, unknown>

const check = Compile(EngineYml)
const schema: DocumentSchema = EngineYml as DocumentSchema

/** Throws one error that names every invalid field. */
export const checkSettings = (raw: RawSettings): EngineYml => {
  // A key of YAML without a value means that the field is not set.
  const settings = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null && value !== undefined))
  if (check.Check(settings)) return settings
  throw new Error(`engine settings: ${problemsOf(schema, settings, allErrors(settings)).join('; ')}`)
}

// The library reports only a few errors at a time, and one invalid field can cause several.
const allErrors = (settings: RawSettings) => {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: 1_000 })
  try {
    return check.Errors(settings)
  } finally {
    Settings.Set({ maxErrors })
  }
}

/** Warnings about fields that the engine does not have. */
export const unknownSettings = (raw: RawSettings): string[] => unknownFields(schema, raw)
