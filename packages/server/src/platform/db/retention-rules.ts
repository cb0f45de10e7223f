// The retention rule of each table. A table without a rule does not compile; a test compares the rules with the crons
// that implement them and with `docs/operations.md`.
import type { Database } from './schema.gen.ts'

export type RetentionRule =
  /** Rows are deleted automatically: the retention time, and the cron (or loop) that deletes them. */
  | { readonly kind: 'swept'; readonly cron: string; readonly kept: string }
  /** Rows are deleted together with those of another table. */
  | { readonly kind: 'with'; readonly table: keyof Database }
  /** Users create and delete the rows; `limit` restricts their number. */
  | { readonly kind: 'people'; readonly limit: string }
  /** The number of rows is limited by nature. */
  | { readonly kind: 'bounded'; readonly why: string }

const swept = (cron: string, retention: string): RetentionRule => ({ kind: 'swept', cron, kept: retention })
const deletedWith = (table: keyof Database): RetentionRule => ({ kind: 'with', table })
const people = (limit: string): RetentionRule => ({ kind: 'people', limit })
const bounded = (why: string): RetentionRule => ({ kind: 'bounded', why })

const history = 'the entitlement retention_days'
const runs = 'KEEP_RUNS_DAYS after their end; 30 days once deleted'
const made = 'a few by hand'
const oneEach = 'one per workspace'

export const retentionRules: Readonly<Record<keyof Database, RetentionRule>> = {
  tasks: swept('tasks_retention', runs),
  task_log_chunks: swept('tasks_retention', history),
  task_telemetry: swept('tasks_retention', history),
  webhook_deliveries: swept('tasks_retention', history),
  flow_runs: swept('flow_runs.retention', runs),
  flow_run_nodes: deletedWith('flow_runs'),
  flow_run_loops: deletedWith('flow_runs'),
  flow_run_loop_chunks: deletedWith('flow_runs'),
  flow_run_items: deletedWith('flow_runs'),
  flow_run_events: swept('flow_runs.retention', history),
  app_sessions: swept('app_sessions.retention', runs),
  live_sockets: swept('sockets.retention', history),
  trigger_fires: swept('triggers_sweep', history),
  run_charges: swept('pricing_sweep', '90 days after they are settled'),

  audit_log: swept('audit.retention', 'KEEP_AUDIT_DAYS'),
  audit_segments: bounded('one for each thousand rows of the log that were closed, or one an hour'),
  audit_head: bounded('one row'),
  transactions: swept('ledger.retention', 'KEEP_LEDGER_DAYS'),
  ledger_entries: deletedWith('transactions'),
  ledger_closings: bounded(oneEach),
  billing_accounts: bounded(oneEach),
  spend_totals: swept('budgets.forget', '400 days'),
  task_execution_counts: swept('plans.forget', 'this month and the last'),

  chats: swept('chats.retention', 'until deleted, then 30 days'),
  chat_messages: deletedWith('chats'),
  tool_invocations: deletedWith('chats'),
  interrupts: deletedWith('chats'),
  hook_calls: deletedWith('chats'),
  agent_runs: deletedWith('chats'),
  agent_errands: bounded('each is deleted when it is done'),
  tool_rules: deletedWith('chats'),
  harness_sessions: deletedWith('chats'),
  openai_conversations: deletedWith('chats'),

  exec_runs: swept('execs.retention', 'EXEC_KEEP_DAYS'),
  exec_chunks: swept('execs.storage', 'EXEC_TEAM_OUTPUT_MB'),
  exec_inputs: deletedWith('exec_runs'),

  auth_sessions: swept('sign-in.sweep', 'a day after their end'),
  magic_links: swept('sign-in.sweep', 'two hours'),
  otp_challenges: swept('sign-in.sweep', 'an hour after their end'),
  oidc_attempts: swept('sign-in.sweep', 'an hour after their end'),
  device_authorizations: swept('device.sweep', 'minutes after their end'),
  guess_windows: swept('device.sweep', 'minutes'),
  oauth_codes: swept('oauth_apps.sweep', 'minutes'),
  oauth_clients: swept('oauth_apps.sweep', 'while somebody uses them'),
  oauth_states: swept('credentials.renew', 'until they expire'),
  api_keys: swept('access_sweep', 'until they expire or are deleted'),
  api_key_previous_values: deletedWith('api_keys'),
  idempotency_keys: swept('access_sweep', '24 hours'),
  rate_windows: swept('access_sweep', 'minutes'),

  files: swept(
    'files.sweep_unfinished',
    'a day when never uploaded, a week when no output names it; else until deleted, within storage_mb',
  ),
  knowledge: swept('knowledge.sweep', 'until deleted, then 30 days; within knowledge_bases'),
  knowledge_contents: deletedWith('knowledge'),
  knowledge_references: deletedWith('knowledge'),
  knowledge_versions: deletedWith('knowledge'),
  artifacts: swept('artifacts.sweep', 'until deleted, then 30 days'),
  artifact_versions: deletedWith('artifacts'),
  flow_versions: swept('flows.sweep', 'as long as their flow, or a run of it, is there'),
  search_documents: bounded('one for each thing that can be found'),
  search_vectors: swept('search.sweep', 'as long as their document'),
  search_changes: swept('search.sweep', '6 hours'),
  search_impressions: swept('search.sweep', '90 days; a day when nobody was signed in'),
  search_conversions: deletedWith('search_impressions'),
  agent_sessions: swept('search.sweep', '365 days'),
  mcp_tools: swept('mcp_servers.forget_tools', '30 days after they were last asked for'),
  mcp_directory: bounded('as long as the catalogue that ships'),

  engines: swept('engines.retention', 'until deleted, then 30 days'),
  workers: swept('engines.retention', 'as long as their engine has them, then 30 days'),
  instances: swept('rentals.forget', '400 days after their end'),
  instance_prices: swept('instances.forget_prices', 'a year; the last one always'),
  instance_types: bounded('as many as clouds offer'),
  clouds: bounded('as many as are set up'),

  bus_letters: swept('bus', 'a minute'),
  servers: bounded('one per running server'),
  server_state: bounded('a shelf of named values'),
  upload_keys: bounded('one row'),
  data_keys: bounded('one for each rotation of a workspace’s key'),
  plans: bounded(made),
  team_plans: bounded(oneEach),
  entitlements: bounded('one per workspace and resource'),
  ip_blocks: bounded(made),
  companies: bounded('a catalogue'),
  pages: bounded('the guides that ship'),
  usage_policies: bounded(oneEach),

  users: people('SIGN_UP'),
  teams: people('SIGN_UP'),
  organizations: people(made),
  org_admins: people(made),
  team_members: people('the entitlement seats'),
  invites: people('the entitlement seats'),
  secrets: people(made),
  secret_versions: bounded('the last few of each secret'),
  vaults: people(made),
  vault_secrets: people(made),
  vault_credentials: people(made),
  auth_providers: people(made),
  credentials: people('the entitlement connectors'),
  apps: people('the entitlement private_apps'),
  app_versions: people(made),
  app_aliases: people(made),
  app_licenses: bounded('one per person and app'),
  flows: people(made),
  triggers: people('the entitlement triggers'),
  agents: people(made),
  agent_versions: people(made),
  agent_version_secrets: deletedWith('agent_versions'),
  projects: people(made),
  budgets: people(made),
  mcp_servers: people(made),
  remotes: people(made),
  remote_profiles: people(made),
}

/** The rule as text. */
export const ruleInWords = (rule: RetentionRule): string => {
  switch (rule.kind) {
    case 'swept':
      return `kept ${rule.kept}`
    case 'with':
      return `goes with ${rule.table}`
    case 'people':
      return `kept until deleted (${rule.limit})`
    case 'bounded':
      return `cannot grow: ${rule.why}`
  }
}
