// All settings of the server: name, default, description and parser. `main.mjs` passes environment and flags once;
// nothing else reads them.
import { resolve } from 'node:path'
import {
  databaseUrl,
  domains,
  flag,
  gpuSelection,
  integer,
  list,
  masterKey,
  networks,
  oneOf,
  type SettingReader,
  text,
  url,
} from './readers.ts'

type Setting<T> = { read: SettingReader<T>; fallback?: T; meaning: string; secret?: true }

const setting = <T>(read: SettingReader<T>, fallback: T, meaning: string): Setting<T> => ({ read, fallback, meaning })
const optional = <T>(read: SettingReader<T>, meaning: string): Setting<T | undefined> => ({ read, meaning })

export const settingTable = {
  PORT: setting(integer(0, 65_535), 7700, 'Port to listen on; 0 picks a free one'),
  HOST: setting(text, '127.0.0.1', 'Address to listen on'),
  DATA_DIR: setting(text, '.millrace', 'Folder for the database, files and keys'),
  DATABASE_URL: optional(databaseUrl, 'PostgreSQL 15 or newer; unset: an embedded PostgreSQL 18'),
  NATS_URL: optional(
    url('nats:', 'tls:'),
    'NATS server that carries events between servers; unset: PostgreSQL. Use the same value on all servers',
  ),
  SERVER_URL: optional(
    url('http:', 'https:'),
    'Address at which other servers of the same database reach this server; default: this machine and PORT',
  ),
  BASE_URL: optional(url('http:', 'https:'), 'Public address of the API; default http://HOST:PORT'),
  APP_URL: optional(url('http:', 'https:'), 'Public address of the web pages; default BASE_URL'),
  EXTRA_APP_ORIGINS: setting(list, [], 'Further origins that may send cookies, comma-separated'),
  SMTP_URL: optional(url('smtp:', 'smtps:'), 'Mail server; unset: the server prints mail to its log'),
  MAIL_FROM: setting(text, 'Millrace <millrace@localhost>', 'Sender of mail'),
  LOG_LEVEL: setting(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Minimum level of log messages',
  ),
  MASTER_KEY: optional(masterKey, 'Key that encrypts all data keys, 32 bytes in base64; unset: generated in DATA_DIR'),
  MASTER_KEY_PREVIOUS: optional(masterKey, 'The previous master key during a rotation'),
  DEVELOPMENT: setting(flag, false, 'Development mode: GET /dev/mail shows sent mail'),
  TRUST_PROXY: setting(networks, [], 'Proxies whose X-Forwarded-For and X-Geo-* headers are trusted, comma-separated'),
  AUDIT_CHECKPOINT_URL: optional(
    url('http:', 'https:'),
    'URL that receives signed checkpoints of the audit log (POST, JSON)',
  ),
  CITY_DATABASE: optional(text, 'City database (MMDB file) for blocking regions smaller than a country'),
  REGION_BLOCKS: setting(flag, true, 'Refuse requests from blocked regions with 451'),
  SIGN_UP: optional(
    oneOf('open', 'invited', 'closed'),
    'Account creation: open (anyone), invited (people with an invite) or closed (no one); default: open while HOST and BASE_URL are loopback addresses, otherwise invited',
  ),
  SIGN_UP_DOMAINS: setting(domains, [], 'Mail domains that new accounts must use, comma-separated; empty: any domain'),
  ENFORCE_PLUS_ALIAS: setting(flag, false, 'Refuse sign-up with a plus tag unless the mail provider ignores the tag'),
  ALLOW_PRIVATE_HOSTS: setting(
    list,
    [],
    'Private hosts or networks (or *) that requests for user-chosen URLs may reach, comma-separated',
  ),
  OIDC_ISSUER: optional(url('http:', 'https:'), 'OpenID Connect issuer for sign-in'),
  OIDC_CLIENT_ID: optional(text, 'Client id at the issuer'),
  OIDC_CLIENT_SECRET: optional(text, 'Client secret at the issuer'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url('http:', 'https:'), 'OpenTelemetry collector for traces'),
  KEEP_RUNS_DAYS: setting(
    integer(0, 36_500),
    0,
    'Days after which finished runs, flow runs and app sessions are deleted with their inputs and outputs; 0: never',
  ),
  KEEP_AUDIT_DAYS: setting(
    integer(0, 36_500),
    0,
    'Days after which rows of the audit log are sealed and deleted; 0: never',
  ),
  KEEP_LEDGER_DAYS: setting(
    integer(0, 36_500),
    0,
    'Days after which transactions are replaced by sealed totals; 0: never',
  ),
  CHAT_MIN_BUSY_MS: setting(
    integer(0, 60_000),
    2_500,
    'Minimum time in milliseconds that a reused chat is reported as busy, for clients that poll; 0 turns it off',
  ),
  RATE_LIMIT_RUN: setting(integer(0, 1_000_000), 100, 'Runs per minute and workspace; 0: no limit'),
  RATE_LIMIT_GET_TASK: setting(integer(0, 1_000_000), 1000, 'Reads of runs per minute and workspace; 0: no limit'),
  RATE_LIMIT_UPLOAD: setting(integer(0, 1_000_000), 50, 'Upload requests per minute and workspace; 0: no limit'),
  EXEC_OUTPUT_MB: setting(integer(1, 4096), 64, 'Output stored per command on a remote, in MiB'),
  EXEC_TEAM_OUTPUT_MB: setting(
    integer(1, 1_048_576),
    4096,
    'Output of remote commands stored per workspace, in MiB; the oldest output is deleted first',
  ),
  EXEC_KEEP_DAYS: setting(integer(1, 3650), 30, 'Days for which remote commands and their output are stored'),
  EMBEDDINGS_URL: optional(
    url('http:', 'https:'),
    'OpenAI-compatible endpoint for search embeddings, such as http://localhost:11434/v1?model=nomic-embed-text; unset: the built-in model',
  ),
  SEARCH: setting(flag, true, 'Answer searches and suggestions; false: both answer 503 and no embeddings are computed'),
  SEARCH_MEMORY_MB: setting(
    integer(16, 2048),
    512,
    'Memory for the search index, in MiB; 512 is enough for about 300,000 documents of one page each. Above that, search uses words only, in the database',
  ),
  EMBEDDINGS_KEY: optional(text, 'API key for EMBEDDINGS_URL'),
  S3_ENDPOINT: optional(url('http:', 'https:'), 'S3-compatible storage for files; unset: DATA_DIR'),
  S3_BUCKET: optional(text, 'S3 bucket'),
  S3_REGION: optional(text, 'S3 region; default us-east-1'),
  S3_ACCESS_KEY_ID: optional(text, 'S3 access key'),
  S3_SECRET_ACCESS_KEY: optional(text, 'S3 secret key'),
  S3_FORCE_PATH_STYLE: optional(
    flag,
    'Put the bucket in the path of the address and not in the host name; default: true with S3_ENDPOINT',
  ),
  DEFAULT_INFRA: setting(
    oneOf('private_first', 'cloud', 'private'),
    'private_first',
    'Engines for runs that name no infra: private_first (those of the workspace, then those of the platform), cloud (those of the platform) or private (those of the workspace)',
  ),
  DRAIN_SECONDS: setting(
    integer(0, 600),
    5,
    'Seconds that a stopping server still answers requests while GET /readyz fails; used only when other servers are running',
  ),
  CONSOLE: setting(flag, true, 'Serve the web console under /console'),
  METRICS_TOKEN: optional(
    text,
    'Bearer token for GET /metrics; unset: only this machine can read the metrics, and not through a proxy that TRUST_PROXY does not name',
  ),
  DOCS: setting(oneOf('public', 'off'), 'public', 'Serve GET /docs and /openapi.json: public or off'),
  ENGINE: setting(flag, true, 'Start the embedded engine'),
  CLOUD_POLL_SECONDS: setting(
    integer(1, 3600),
    15,
    'Seconds between two polls of the clouds for the state of rented machines',
  ),
  ENGINE_CPU_WORKERS: setting(integer(1, 256), 2, 'CPU workers of the embedded engine'),
  ENGINE_GPUS: setting(
    gpuSelection,
    'all',
    'GPUs of the embedded engine: all (one worker per GPU), none, or GPUs such as 0,1 (two workers), 0+1 (one worker with two GPUs) or 0,0 (two workers that share a GPU)',
  ),
  ENGINE_BUNDLES_MB: setting(integer(100, 1e8), 60_000, 'Disk space of the engine for app code and packages, in MB'),
  ENGINE_FILES_MB: setting(integer(100, 1e8), 40_000, 'Disk space of the engine for input files, in MB'),
  ENGINE_RUNTIME: setting(
    oneOf('process', 'bubblewrap', 'container', 'auto'),
    'auto',
    'Isolation of apps on the embedded engine: bubblewrap, container, process (no sandbox) or auto (bubblewrap where it works, otherwise process)',
  ),
  ENGINE_DRAIN_SECONDS: setting(
    integer(0, 3600),
    20,
    'Seconds that running tasks have to finish when the server stops',
  ),
  ENGINE_CGROUPS: setting(oneOf('auto', 'off'), 'auto', 'Enforce limits of apps with control groups where possible'),
} as const

type Table = typeof settingTable
type Raw = { [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never }

/** The settings with derived values. With port 0, `BASE_URL` is final only after the server listens. */
export type Settings = Readonly<
  Omit<Raw, 'BASE_URL' | 'APP_URL' | 'SIGN_UP'> & { BASE_URL: string; APP_URL: string; SIGN_UP: SignUp }
>

export type SignUp = 'open' | 'invited' | 'closed'

export class SettingsError extends Error {}

/** `--data-dir x` and `--data-dir=x` set DATA_DIR; a flag overrides the environment. */
const readFlags = (argv: readonly string[], problems: string[]): Record<string, string> => {
  const flags: Record<string, string> = {}
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ''
    const [, dashed = '', inline] = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(word) ?? []
    const name = dashed.toUpperCase().replaceAll('-', '_')
    if (!Object.hasOwn(settingTable, name)) {
      problems.push(`${word}: unknown setting`)
      continue
    }
    if (inline !== undefined) flags[name] = inline
    else {
      index += 1
      const value = argv[index]
      if (value === undefined) problems.push(`${word}: requires a value`)
      else flags[name] = value
    }
  }
  return flags
}

export const readSettings = (
  env: Readonly<Record<string, string | undefined>>,
  argv: readonly string[] = [],
): Settings => {
  const problems: string[] = []
  const flags = readFlags(argv, problems)
  const values: Record<string, unknown> = {}
  for (const [name, { read, fallback }] of Object.entries(settingTable) as [string, Setting<unknown>][]) {
    const given = flags[name] ?? env[name]
    if (given === undefined || given === '') values[name] = fallback
    else {
      try {
        values[name] = read(given)
      } catch (error) {
        problems.push(`${name}: ${error instanceof Error ? error.message : 'is invalid'}`)
      }
    }
  }
  if (values.OIDC_ISSUER !== undefined && values.OIDC_CLIENT_ID === undefined)
    problems.push('OIDC_CLIENT_ID: is required with OIDC_ISSUER')
  if (values.MASTER_KEY_PREVIOUS !== undefined && values.MASTER_KEY === undefined)
    problems.push('MASTER_KEY: is required with MASTER_KEY_PREVIOUS')
  if (values.S3_ENDPOINT !== undefined)
    for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])
      if (values[name] === undefined) problems.push(`${name}: is required with S3_ENDPOINT`)
  if (problems.length > 0)
    throw new SettingsError(`The settings are not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  const raw = values as Raw
  const baseUrl = raw.BASE_URL ?? `http://${raw.HOST.includes(':') ? `[${raw.HOST}]` : raw.HOST}:${raw.PORT}`
  const isLocal = isOnlyLocal({ HOST: raw.HOST, BASE_URL: baseUrl })
  return Object.freeze({
    ...raw,
    DATA_DIR: resolve(raw.DATA_DIR),
    BASE_URL: baseUrl,
    APP_URL: raw.APP_URL ?? baseUrl,
    SIGN_UP: raw.SIGN_UP ?? (isLocal ? 'open' : 'invited'),
  })
}

/** Listens on loopback with a loopback base URL, so that all users are on this machine. */
export const isOnlyLocal = ({ HOST, BASE_URL }: { HOST: string; BASE_URL: string }): boolean =>
  isLoopback(HOST) && isLoopback(new URL(BASE_URL).hostname)

const isLoopback = (host: string): boolean => {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/** Updates the URLs after the server has chosen its port. */
export const withPort = (settings: Settings, port: number): Settings => {
  const moved = (address: string) => (address.endsWith(':0') ? address.replace(/:0$/, `:${port}`) : address)
  return Object.freeze({
    ...settings,
    PORT: port,
    BASE_URL: moved(settings.BASE_URL),
    APP_URL: moved(settings.APP_URL),
  })
}
