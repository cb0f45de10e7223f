// The page of all settings, docs/settings.md: the ones that most installations set first, the others by topic.

type SettingRow = { fallback?: unknown; meaning: string }

/** The order on the page. Each setting appears exactly once; `settingsPage` fails otherwise. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Common settings': [
    'PORT',
    'HOST',
    'BASE_URL',
    'DATA_DIR',
    'DATABASE_URL',
    'MASTER_KEY',
    'SMTP_URL',
    'MAIL_FROM',
    'SIGN_UP',
    'ENGINE_RUNTIME',
  ],
  'Network and addresses': ['APP_URL', 'EXTRA_APP_ORIGINS', 'TRUST_PROXY', 'ALLOW_PRIVATE_HOSTS'],
  'Sign-up and sign-in': [
    'SIGN_UP_DOMAINS',
    'ENFORCE_PLUS_ALIAS',
    'OIDC_ISSUER',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'REGION_BLOCKS',
    'CITY_DATABASE',
  ],
  'Keys and audit log': ['MASTER_KEY_PREVIOUS', 'AUDIT_CHECKPOINT_URL'],
  'File storage': [
    'S3_ENDPOINT',
    'S3_BUCKET',
    'S3_REGION',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
    'S3_FORCE_PATH_STYLE',
  ],
  'Several servers': ['NATS_URL', 'SERVER_URL', 'DRAIN_SECONDS'],
  'Runs and chats': ['DEFAULT_INFRA', 'CHAT_MIN_BUSY_MS'],
  'Rate limits': ['RATE_LIMIT_RUN', 'RATE_LIMIT_GET_TASK', 'RATE_LIMIT_UPLOAD'],
  'Embedded engine': [
    'ENGINE',
    'ENGINE_CPU_WORKERS',
    'ENGINE_GPUS',
    'ENGINE_BUNDLES_MB',
    'ENGINE_FILES_MB',
    'ENGINE_DRAIN_SECONDS',
    'ENGINE_CGROUPS',
  ],
  'Rented machines': ['CLOUD_POLL_SECONDS'],
  'Commands on remotes': ['EXEC_OUTPUT_MB', 'EXEC_TEAM_OUTPUT_MB', 'EXEC_KEEP_DAYS'],
  Search: ['SEARCH', 'SEARCH_MEMORY_MB', 'EMBEDDINGS_URL', 'EMBEDDINGS_KEY'],
  Retention: ['KEEP_RUNS_DAYS', 'KEEP_AUDIT_DAYS', 'KEEP_LEDGER_DAYS'],
  Monitoring: ['LOG_LEVEL', 'METRICS_TOKEN', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  'Pages and development': ['CONSOLE', 'DOCS', 'DEVELOPMENT'],
}

const introduction = `# Settings

Each setting is an environment variable or a flag: \`DATA_DIR=/var/lib/millrace\` is the same as \`--data-dir /var/lib/millrace\`.
A flag overrides the environment. \`npm start -- --help\` prints this list. A start with invalid settings names all of them at once.

\`npm run generate\` writes this page from the table that the server reads.`

const defaultCell = (fallback: unknown): string =>
  fallback === undefined || (Array.isArray(fallback) && fallback.length === 0) ? '' : `\`${String(fallback)}\``

const requireEachOnce = (names: readonly string[]): void => {
  const placed = Object.values(groups).flat()
  const wrong = [
    ...names.filter((name) => !placed.includes(name)).map((name) => `${name} has no group`),
    ...placed.filter((name) => !names.includes(name)).map((name) => `${name} does not exist`),
    ...placed.filter((name, index) => placed.indexOf(name) !== index).map((name) => `${name} has two groups`),
  ]
  if (wrong.length > 0) throw new Error(`scripts/settings-page.ts: ${wrong.join(', ')}`)
}

export const settingsPage = (settings: Readonly<Record<string, SettingRow>>): string => {
  requireEachOnce(Object.keys(settings))
  const sections = Object.entries(groups).map(([title, names]) => {
    const rows = names.map((name) => {
      const { fallback, meaning } = settings[name] ?? { meaning: '' }
      return `| \`${name}\` | ${defaultCell(fallback)} | ${meaning} |`
    })
    return [`## ${title}`, '', '| setting | default | description |', '|---|---|---|', ...rows].join('\n')
  })
  return `${[introduction, ...sections].join('\n\n')}\n`
}
